/** A server of Go's crypto/tls: port and mode are its arguments. */
export const goSource = `package main

import (
	"crypto/tls"
	"net"
	"net/http"
	"os"
)

func main() {
	pair, err := tls.LoadX509KeyPair("chain.pem", "key.pem")
	if err != nil {
		panic(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	if os.Args[2] == "old" {
		config.MinVersion = tls.VersionTLS10
		for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
			config.CipherSuites = append(config.CipherSuites, suite.ID)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		panic(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("ok")) })
	(&http.Server{Handler: handler, TLSConfig: config}).ServeTLS(listener, "", "")
}
`;

/** The same of Java's JSSE. */
export const javaSource = `
import java.io.ByteArrayInputStream;
import java.nio.file.*;
import java.security.*;
import java.security.cert.*;
import java.security.spec.*;
import java.util.*;
import javax.net.ssl.*;

public class Server {
  public static void main(String[] args) throws Exception {
    String text = Files.readString(Path.of("key.pem")).replaceAll("-----[^-]+-----|\\\\s", "");
    PrivateKey key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text)));
    Collection<? extends java.security.cert.Certificate> chain = CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(Path.of("chain.pem"))));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("lab", key, new char[0], chain.toArray(new java.security.cert.Certificate[0]));
    KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    SSLServerSocket server = (SSLServerSocket) context.getServerSocketFactory()
        .createServerSocket(Integer.parseInt(args[0]), 50, java.net.InetAddress.getByName("127.0.0.1"));
    if (args[1].equals("old")) {
      server.setEnabledProtocols(new String[] {"TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"});
      server.setEnabledCipherSuites(server.getSupportedCipherSuites());
    }
    while (true) {
      SSLSocket socket = (SSLSocket) server.accept();
      new Thread(() -> {
        try (socket) {
          socket.startHandshake();
          socket.getInputStream().read(new byte[4096]);
          socket.getOutputStream().write("HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n".getBytes());
        } catch (Exception broken) {
        }
      }).start();
    }
  }
}
`;
