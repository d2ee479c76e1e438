import ArgumentParser
import Cryptography
import Metrics
import NIOPosix
import RPC
import ServiceRuntime

/// A server with one event loop and the methods of `EchoMethods`: the cost of a call whose handler
/// does nothing. Prints its port and runs until it is killed.
struct EchoServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "echo-server")

    /// The service name that clients connect to.
    private static let service = "postern.benchmark"

    @Option(help: "The caller's key, <application>.<key id>.key, 32 bytes.")
    var key: String

    @Option(help: "Uses TLS with this certificate chain, a PEM file.")
    var certificate: String?

    @Option(help: "The certificate's private key, a PEM file that only its owner may read.")
    var certificateKey: String?

    func run() async throws {
        // As in the programs: without metrics a call would cost less.
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
        try await RunningServer.listens(on: server.port)
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
