// Run by MongoDB's image when the database is empty: the service's user, of one database.
db.getSiblingDB('diag').createUser({
  user: 'diag',
  pwd: require('node:fs').readFileSync('/secrets/diag-password', 'utf8'),
  roles: [{ role: 'readWrite', db: 'diag' }],
});
