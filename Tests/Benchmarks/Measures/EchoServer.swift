import ArgumentParser
import Cryptography
import Glibc
import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// A server of one event loop whose two methods answer what they were asked: what a call costs
/// when nothing is done for it. Prints its port and runs until it is ended.
struct EchoServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "echo-server")

    /// The service that callers dial.
    private static let service = "postern.benchmark"

    @Option(help: "The caller's key, <application>.<key id>.key, 32 bytes.")
    var key: String

    func run() async throws {
        let caller = try ApplicationKey(file: key)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await RPCServer.start(
            ServerSettings(service: Self.service, host: "127.0.0.1", port: 0),
            services: [Self.echo],
            applications: Applications(
                name: caller.application, keyID: caller.keyID, key: caller.key,
                mayAssertClientAddress: false),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: .silent)
        print(server.port)
        fflush(nil)
        // Runs until a signal ends the process.
        try await Task.sleep(for: .seconds(3600))
    }

    /// Both kinds of handler. The message is one of ours with strings and a part, as calls have.
    private static var echo: ServiceMethods {
        let onLoop = method("OnLoop", isOnLoop: true)
        let async = method("Async", isOnLoop: false)
        return ServiceMethods(
            ServiceDescription(
                name: "postern.benchmark.v1.Echo", methods: [onLoop, async], fileDescriptorSet: ""),
            [
                .onLoop(onLoop) { (request: SessionV1.RefreshRequest, _) in request },
                .async(async) { (request: SessionV1.RefreshRequest, _) async in request },
            ])
    }

    private static func method(_ name: String, isOnLoop: Bool) -> MethodDescription {
        MethodDescription(
            name: "postern.benchmark.v1.Echo/\(name)", isIdempotent: true, timeout: .seconds(10),
            isOnLoop: isOnLoop)
    }
}
