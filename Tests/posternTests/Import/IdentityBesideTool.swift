import Contracts
import CoreMetrics
import Cryptography
import Logging
import Messages
import NIOPosix
import RPC
import ServiceRuntime
import Storage
import TestSupport

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData
@testable import postern

/// An identity service on a real store, in this process, as the target of the tool's imports.
final class IdentityBesideTool: Sendable {
    let folder: TemporaryFolder
    var imports: ImportsHandler { service.life.imports }
    var accounts: AccountsHandler { service.core.accounts }
    private let store: Store
    private let service: IdentityAssembly

    init(_ folder: TemporaryFolder? = nil) throws {
        let (time, randomness) = (SystemTime(), SecureRandomness())
        let logger = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        store = try TestStore.open(
            "identity", IdentityTables.migrations, in: folder.path, time: time, logger: logger)
        // No service is called before `run`.
        let nowhere = RPCClient(
            ClientSettings(
                service: "postern.nowhere", host: "127.0.0.1", port: 1, application: "identity",
                keyID: "", secret: nil),
            group: MultiThreadedEventLoopGroup.singleton, time: time, randomness: randomness)
        var settings = IdentitySettings()
        settings.passwordHashing = PasswordHashPool.Settings(threads: 1)
        let keys = try IdentityKeys(
            master: SecretBytes(copying: [UInt8](repeating: 7, count: 32)),
            signInProofs: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
            randomness: randomness)
        service = try IdentityAssembly(
            settings: settings, data: PersonalDataSettings(), life: AccountLifeSettings(),
            store: store, keys: keys,
            peers: IdentityPeers(session: nowhere, notification: nowhere, rateLimit: nowhere),
            time: time,
            randomness: randomness, logger: logger, metrics: NOOPMetricsHandler.instance)
    }

    func close() {
        service.close()
        store.close()
    }

    static var context: CallContext {
        CallContext(
            application: "tool", deadline: SystemTime().uptime() + .seconds(60),
            metadata: Metadata())
    }

    /// All accounts of an export.
    func exported() async throws -> [IdentityV1.AccountRecord] {
        var records: [IdentityV1.AccountRecord] = []
        let items = imports.exportAccounts(.init(withPasswordHashes: true), Self.context)
        for try await item in items { records += item.accounts }
        return records
    }

    /// Imports a file.
    func take(
        _ path: String, _ firebase: FirebaseUser? = nil, from start: Int64 = 0,
        through imports: (any ImportsAPI)? = nil, show: @escaping (String) -> Void = { _ in }
    ) async throws -> ImportRun.Counts {
        let imports = imports ?? self.imports
        var file = try await AccountFile(path, firebase, from: start) { shared in
            try await imports.keepHashParameters(
                .init(signerKey: shared.signerKey, saltSeparator: shared.saltSeparator),
                Self.context
            ).parametersId
        }
        return try await run(on: path, through: imports).run(&file, show: show)
    }

    /// An import of a file that has not begun.
    func run(on path: String, through imports: (any ImportsAPI)? = nil) -> ImportRun {
        ImportRun(
            imports: imports ?? self.imports, source: "test", positionPath: path + ".position",
            deadLetterPath: path + ".refused.jsonl", time: SystemTime(),
            context: { Self.context })
    }
}
