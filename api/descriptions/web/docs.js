// Addresses are relative, so that the page also works below a path of a proxy.
window.SwaggerUIBundle({ url: 'openapi.json', dom_id: '#docs', validatorUrl: null, deepLinking: true });
