import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

/// Runs schedules on the real service with a real store. Each step is taken in a `World` and by the
/// service, and the two must agree.
///
/// Commits do not wait for the disk, because other tests cover power failures. Everything else is
/// as in the program. A restart creates a new service on the store and loses its memory.
final class ScheduledService {
    private let folder: TemporaryFolder
    private let time = ManualTime()
    private let randomness = SeededRandomness(seed: 5)
    private let store: Store
    private let keys: SessionKeys
    private let seal: SignInProofSeal
    private let device: TestDevice
    private var service: SessionService
    private var accounts: Int64 = 0

    init() async throws {
        folder = try TemporaryFolder()
        device = try .ed25519()
        let proofs = SecretBytes.generate(count: 32, randomness: randomness)
        keys = try SessionKeys(
            master: .generate(count: 32, randomness: randomness), signInProofs: proofs,
            randomness: randomness)
        seal = SignInProofSeal(key: KeyedHash(key: proofs))
        store = try TestStore.open(
            SessionTables.storeName, SessionTables.migrations, in: folder.path,
            engine: TestStore.isOnServer ? nil : SQLiteEngine(durability: .noneForMeasuring),
            time: time)
        service = try await Self.service(store, keys, time, randomness)
    }

    func close() { store.close() }

    private static func service(
        _ store: Store, _ keys: SessionKeys, _ time: ManualTime, _ randomness: SeededRandomness
    ) async throws -> SessionService {
        try await SessionService(
            settings: SessionFixture.settings([
                "--session-idle-max", "366d", "--session-age-max", "3660d",
                "--refresh-key-life", "366d",
            ]), store: store, keys: keys, notices: RecordingNotices(), time: time,
            randomness: randomness, logger: CapturedLog().logger(time: time))
    }

    /// Runs a schedule on a new session.
    /// - Returns: the first disagreement; nil if there is none.
    /// - Throws: unexpected errors of the service.
    func run(_ schedule: RandomSchedule, steps: Int) async throws -> String? {
        var world = schedule.first
        var tokens = GivenTokens(try await open(isBound: schedule.isBound))
        for _ in 0..<steps {
            let step = schedule.step(in: world)
            let (before, wasOver) = (world, world.isOver)
            if let wrong = world.take(step) { return wrong }
            if let wrong = try await take(step, before, &tokens) { return "\(step): \(wrong)" }
            if world.isOver, !wasOver, try tokens.access.values.contains(where: isGood) {
                return "\(step): an access token is good after the end"
            }
        }
        return nil
    }

    private func take(
        _ step: Step, _ world: World, _ tokens: inout GivenTokens
    ) async throws -> String? {
        switch step {
        case .refresh(let place, let fate):
            return try await refresh(world.clients[place], fate, world, &tokens)
        case .validate(let place):
            if let token = tokens.access[world.clients[place].held] { _ = try isGood(token) }
        case .pause(let milliseconds): time.advance(by: .milliseconds(milliseconds))
        case .restart: service = try await Self.service(store, keys, time, randomness)
        case .copy, .restore: break
        }
        return nil
    }

    private func refresh(
        _ client: Client, _ fate: Step.Fate, _ world: World, _ tokens: inout GivenTokens
    ) async throws -> String? {
        let token = try #require(tokens.refresh[client.held])
        let expected = world.verdict(on: client)
        do {
            let answer = try await service.sessions.refreshSession(
                GatewayV1.RefreshSessionRequest(
                    refreshToken: token,
                    deviceProof: client.hasKey ? try device.proof(token, at: time.now()) : nil),
                context)
            let child = try #require(answer.session)
            let isNew = expected == .child
            guard isNew || expected == .sameChild else { return "answered, not \(expected)" }
            let counter = isNew ? world.leaf + 1 : world.leaf
            let given = service.sessions.refreshTokens.seal(at: time.now())
                .token(child.refreshToken)
            if given?.counter != counter { return "another child" }
            tokens.refresh[counter] = child.refreshToken
            tokens.access[counter] = child.accessToken
            if fate == .usedThenLost, try !isGood(child.accessToken) {
                return "no good access token"
            }
            return nil
        } catch let error as ServiceError {
            let codes: [History.Verdict: ErrorCode] = [
                .end: .refreshTokenReplayed, .refusal: .deviceProofRequired, .over: .sessionEnded,
            ]
            return error.code == codes[expected] ? nil : "\(error.code), not \(expected)"
        }
    }

    private func isGood(_ accessToken: String) throws -> Bool {
        try service.sessions.validateAccessToken(
            SessionV1.ValidateAccessTokenRequest(accessToken: accessToken), context
        )
        .valid
    }

    private func open(isBound: Bool) async throws -> GatewayV1.Session {
        accounts += 1
        let now = time.now().milliseconds
        let proof = IdentityV1.SignInProof(
            accountId: try #require(AccountID(key: accounts)).text, amr: ["pwd"], authTimeMs: now,
            provedAtMs: now, nonce: randomness.bytes(16))
        let answer = try await service.sessions.createSession(
            SessionV1.CreateSessionRequest(
                proof: seal.seal(proof),
                device: GatewayV1.Device(
                    deviceId: device.id, key: isBound ? try device.key() : nil)),
            context)
        return try #require(answer.session)
    }

    private var context: CallContext {
        CallContext(application: "gateway", deadline: time.uptime() + .seconds(10))
    }
}

/// The tokens that the service has issued, by counter.
private struct GivenTokens {
    var refresh: [Int64: String]
    var access: [Int64: String]

    init(_ first: GatewayV1.Session) {
        refresh = [1: first.refreshToken]
        access = [1: first.accessToken]
    }
}
