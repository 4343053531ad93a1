// Others import this in place of what this service never loads.
module.exports = {};
