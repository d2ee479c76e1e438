import ArgumentParser
import Cryptography
import Glibc
import Metrics
import NIOPosix
import RPC
import ServiceRuntime

/// A server of one event loop with the methods of `EchoMethods`: what a call costs when nothing is
/// done for it. Prints its port and runs until it is ended.
struct EchoServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "echo-server")

    /// The service that callers dial.
    private static let service = "postern.benchmark"

    @Option(help: "The caller's key, <application>.<key id>.key, 32 bytes.")
    var key: String

    @Option(help: "Speaks TLS with this chain of certificates, a file of PEM.")
    var certificate: String?

    @Option(help: "The certificate's private key, a file of PEM that only its owner may read.")
    var certificateKey: String?

    func run() async throws {
        // As the programs do: a call that nobody counts would cost less.
        MetricsSystem.bootstrap(MetricsRegistry())
        let caller = try ApplicationKey(file: key)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await RPCServer.start(
            ServerSettings(service: Self.service, host: "127.0.0.1", port: 0),
            services: [EchoMethods.all],
            applications: Applications(
                name: caller.application, keyID: caller.keyID, key: caller.key,
                mayAssertClientAddress: false),
            tls: tls, group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: .silent)
        print(server.port)
        fflush(nil)
        // Runs until a signal ends the process.
        try await Task.sleep(for: .seconds(3600))
    }

    private var tls: ServerTLS? {
        get throws {
            guard let certificate, let certificateKey else { return nil }
            let files = CertificateFiles(chain: certificate, key: certificateKey)
            return try ServerTLS(
                ServerTLSFiles(certificate: files, roots: nil, floor: .v13),
                now: SystemTime().now())
        }
    }
}
