import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

/// The service with a real store in a temporary folder and with manual time.
final class LimitsFixture: Sendable {
    let folder: TemporaryFolder
    private let seed: UInt64
    let time: ManualTime
    let log = CapturedLog()
    let store: Store
    let service: RateLimitService

    init(
        folder: TemporaryFolder? = nil, time: ManualTime = ManualTime(), flags: [String] = [],
        key: UInt8 = 7, seed: UInt64 = 1
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        let logger = log.logger(time: time)
        self.folder = folder
        self.seed = seed
        self.time = time
        store = try TestStore.open(
            "ratelimit", RateLimitTables.migrations, in: folder.path, time: time, logger: logger)
        try await RateLimitRestore.settle(store)
        service = try await RateLimitService(
            settings: SettingsLoader.settings(flags), store: store,
            keys: RateLimitKeys(
                master: SecretBytes(copying: [UInt8](repeating: key, count: 32)),
                randomness: SeededRandomness(seed: seed)),
            time: time, randomness: SeededRandomness(seed: seed), logger: logger)
    }

    /// Restarts on the same folder. The old process stopped normally, or was killed.
    func restarted(key: UInt8 = 7, afterKill isKilled: Bool = false) async throws -> LimitsFixture {
        if !isKilled { await service.flush() }
        service.closeJournals()
        store.close()
        return try await LimitsFixture(folder: folder, time: time, key: key, seed: seed + 1)
    }

    var context: CallContext { CallContext(deadline: time.uptime() + .seconds(10)) }

    /// Charges a batch of limits and subjects.
    /// - Parameter address: The client address of the caller that names them.
    @discardableResult
    func consume(
        _ charges: [(String, String)], from address: String? = nil
    ) async throws -> (decision: RateLimitV1.Decision, chargeID: String) {
        let request = RateLimitV1.ConsumeRequest(
            charges: Self.message(charges),
            namedBy: address.map { RateLimitV1.ConsumeRequest.NamedBy.clientAddress($0) })
        let answer = try await service.limits.consume(request, context)
        return (try #require(answer.decision), answer.chargeId)
    }

    /// Charges one limit from a device.
    @discardableResult
    func consume(
        _ limit: LimitName, _ subject: String, device: String, target: String = "",
        from address: String? = nil
    ) async throws -> (decision: RateLimitV1.Decision, chargeID: String) {
        let request = RateLimitV1.ConsumeRequest(
            charges: [
                .init(limit: limit.rawValue, subject: subject, device: device, target: target)
            ], namedBy: address.map { RateLimitV1.ConsumeRequest.NamedBy.clientAddress($0) })
        let answer = try await service.limits.consume(request, context)
        return (try #require(answer.decision), answer.chargeId)
    }

    /// Decides and records as Consume does but does not wait for the disk, for loops of thousands.
    func decide(
        _ charges: [(String, String)], from address: String? = nil
    ) async throws -> (limit: LimitName, LimitVerdict) {
        let now = time.now()
        let plan = try service.limits.plan(
            RequestedCharge.read(Self.message(charges)),
            namedBy: address.map { SubjectSource.site($0) }, at: now)
        let verdict = service.limits.table.apply(.consume, plan.requests, at: now)
        _ = await service.limits.report(verdict, of: plan, at: now)
        return (plan.limits[verdict.deciding], verdict)
    }

    /// Reports the owner of a subject as authenticated, without a charge.
    func remember(
        _ limit: LimitName, _ subject: String, device: String, forgettingOthers: Bool = false
    ) throws {
        _ = try service.limits.succeed(
            RateLimitV1.SucceedRequest(
                charges: [.init(limit: limit.rawValue, subject: subject, device: device)],
                forgetDevices: forgettingOthers), context)
    }

    /// Reports the attempt of a charge as successful.
    func succeed(_ id: String, _ limit: LimitName, _ subject: String, device: String = "") throws {
        _ = try service.limits.succeed(
            RateLimitV1.SucceedRequest(
                chargeId: id,
                charges: [.init(limit: limit.rawValue, subject: subject, device: device)]), context)
    }

    /// Reports a sign-in of an established account from an address.
    func signInEstablished(_ account: String, at address: String) throws {
        _ = try service.limits.succeed(
            RateLimitV1.SucceedRequest(
                charges: Self.message([("failed-sign-in-by-address", address)]),
                established: RateLimitV1.EstablishedSignIn(
                    accountId: account, clientAddress: address)), context)
    }

    /// Charges one limit.
    @discardableResult
    func consume(
        _ limit: LimitName, _ subject: String
    ) async throws -> (decision: RateLimitV1.Decision, chargeID: String) {
        try await consume([(limit.rawValue, subject)])
    }

    func peek(_ limit: LimitName, _ subject: String) throws -> RateLimitV1.Decision {
        let request = RateLimitV1.PeekRequest(charges: Self.message([(limit.rawValue, subject)]))
        return try #require(try service.limits.peek(request, context).decision)
    }

    func refund(_ id: String) async throws {
        _ = try service.limits.refund(RateLimitV1.RefundRequest(chargeId: id), context)
    }

    static func message(_ charges: [(String, String)]) -> [RateLimitV1.Charge] {
        charges.map { RateLimitV1.Charge(limit: $0.0, subject: $0.1) }
    }

    /// One event in the audit trail.
    struct Record {
        let kind: String
        let attempt: Int64
    }

    /// The records written so far, in order.
    func audited() async throws -> [Record] {
        await service.flush()
        try await store.number(.audit)
        return try await store.read { session in
            try session.query("SELECT kind, attempt FROM audit ORDER BY number") {
                Record(kind: try $0.text(0), attempt: try $0.optionalInteger(1) ?? 0)
            }
        }
    }

    /// The number of rows of a table.
    func count(_ table: String, where condition: String = "true") async throws -> Int64 {
        try await store.read { session in
            try session.queryOne("SELECT count(*) FROM \(table) WHERE \(condition)") {
                try $0.integer(0)
            } ?? -1
        }
    }
}
