import AccountLife
import Contracts
import CoreMetrics
import Cryptography
import IdentityAssembly
import IdentityService
import Messages
import NIOPosix
import PersonalData
import RPC
import ServiceRuntime
import Storage
import TestSupport

/// An identity service in this process, with imported accounts.
final class LookUpFixture: Sendable {
    private static let batch = 200
    private static let batchesAtOnce = 4

    private let accounts: Int
    private let store: Store
    private let service: IdentityAssembly
    private var imports: ImportsHandler { service.life.imports }
    private let time = SystemTime()

    init(folder: String, name: String, accounts: Int) throws {
        let randomness = SecureRandomness()
        self.accounts = accounts
        store = try TestStore.open(
            "identity", IdentityTables.migrations, in: "\(folder)/\(name)", engine: SQLiteEngine(),
            time: time,
            logger: .silent)
        // No service is called before the service runs.
        let nowhere = RPCClient(
            ClientSettings(
                service: "postern.nowhere", host: "127.0.0.1", port: 1, application: "identity",
                keyID: "", secret: nil),
            group: MultiThreadedEventLoopGroup.singleton, time: time, randomness: randomness)
        var settings = IdentitySettings()
        settings.passwordHashing = PasswordHashPool.Settings(threads: 1)
        service = try IdentityAssembly(
            settings: settings, data: PersonalDataSettings(), life: AccountLifeSettings(),
            store: store,
            keys: try IdentityKeys(
                master: .generate(count: 32, randomness: randomness),
                signInProofs: .generate(count: 32, randomness: randomness),
                randomness: randomness),
            peers: IdentityPeers(session: nowhere, notification: nowhere, rateLimit: nowhere),
            time: time, randomness: randomness, logger: .silent,
            metrics: NOOPMetricsHandler.instance)
    }

    func close() {
        service.close()
        store.close()
    }

    /// Imports all accounts.
    /// - Returns: the number of accounts a second.
    @discardableResult
    func fill() async throws -> Double {
        let begun = time.uptime()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, start) in stride(from: 0, to: accounts, by: Self.batch).enumerated() {
                if number >= Self.batchesAtOnce { try await group.next() }
                group.addTask {
                    try await self.take(start..<min(start + Self.batch, self.accounts))
                }
            }
            try await group.waitForAll()
        }
        return Double(accounts) / seconds(since: begun)
    }

    private func take(_ numbers: Range<Int>) async throws {
        let records = numbers.map { number in
            IdentityV1.AccountRecord(
                externalId: "user-\(number)", email: "user-\(number)@example.org",
                emailVerified: true,
                passwordHash: "$2b$10$abcdefghijklmnopqrstuuc34AZERa.zlqqUUtYXd1RSqIxBXIx6.",
                displayName: "User \(number)",
                identities: [
                    .init(
                        method: "google", issuer: "https://accounts.google.com",
                        subject: "\(number)")
                ])
        }
        let answers = try await imports.importAccounts(
            .init(source: "benchmark", accounts: records), context
        ).answers
        guard answers.allSatisfy({ $0.outcome == .created }) else {
            throw ServiceError(.internalError, detail: "an account was not imported")
        }
    }

    /// The time of a look-up, sequentially, of ids across the whole store.
    func microseconds(_ lookUps: Int) async throws -> Double {
        let randomness = SecureRandomness()
        let ids = (0..<lookUps).map { _ in "user-\(randomness.integer() % UInt64(accounts))" }
        let begun = time.uptime()
        for id in ids {
            let found = try await imports.lookUpImported(
                .init(source: "benchmark", externalIds: [id]), context)
            guard found.accountIds != [""] else {
                throw ServiceError(.internalError, detail: "an account was not found")
            }
        }
        return seconds(since: begun) * 1_000_000 / Double(lookUps)
    }

    private func seconds(since begun: Duration) -> Double {
        let (seconds, attoseconds) = (time.uptime() - begun).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    private var context: CallContext {
        CallContext(
            application: "tool", deadline: time.uptime() + .seconds(60), metadata: Metadata())
    }
}
