import ArgumentParser
import Contracts
import Cryptography
import Glibc
import Metrics
import NIOPosix
import RPC
import RateLimitService
import ServiceRuntime
import Storage
import TestSupport

/// The complete rate-limit service on one event loop, beside the echo of `EchoMethods`: the
/// additional cost of a decision in a call. Prints its port and runs until it is killed.
struct LimitsServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "limits-server")

    @Option(help: "The caller's key, <application>.<key id>.key, 32 bytes.")
    var key: String

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String

    @Option(help: "Subjects that exist before the first call.")
    var keys = 0

    private static let subjectsMax = 20_000_000

    func run() async throws {
        MetricsSystem.bootstrap(MetricsRegistry())
        let caller = try ApplicationKey(file: key)
        let time = SystemTime()
        let store = try TestStore.open(
            "ratelimit", RateLimitTables.migrations, in: folder, engine: SQLiteEngine(),
            time: time, logger: .silent)
        let settings: RateLimitSettings = try SettingsLoader.settings([
            "--subjects-max", "\(Self.subjectsMax)", "--subjects-share-address", "98",
            "--subjects-share-account", "1", "--subjects-share-text", "1",
        ])
        let service = try await RateLimitService(
            settings: settings, store: store,
            keys: RateLimitKeys(
                master: SecretBytes(copying: SecureRandomness().bytes(32)),
                randomness: SecureRandomness()),
            time: time, randomness: SecureRandomness(), logger: .silent)
        try await service.fill(.unaddressedByApplication, subjects: keys)
        let server = try await RPCServer.start(
            ServerSettings(service: "postern.benchmark", host: "127.0.0.1", port: 0),
            services: [EchoMethods.all, LimitsDispatcher.methods(of: service.limits)],
            applications: Applications(
                name: caller.application, keyID: caller.keyID, key: caller.key,
                mayAssertClientAddress: false),
            tls: nil, group: MultiThreadedEventLoopGroup(numberOfThreads: 1), time: time,
            randomness: SecureRandomness(), logger: .silent)
        print(server.port)
        fflush(nil)
        try await service.run()
    }
}
