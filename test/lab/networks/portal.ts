// What a hotel has on its way out: whoever asks for a page over http is sent to a portal.
import { createServer } from 'node:http';

createServer((_request, response) => {
  response.writeHead(302, { location: 'http://portal.hotel.example/login' }).end();
}).listen(8080, '::');
