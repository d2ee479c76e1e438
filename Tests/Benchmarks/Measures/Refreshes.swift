import ArgumentParser
import Contracts
import Cryptography
import Logging
import Messages
import RPC
import ServiceRuntime
import SessionService
import Storage
import Synchronization

/// Durable refreshes a second: the session service whole (rotation, tokens, audit, store), many to
/// a commit, one to a commit, and without the disk; and what the slowest hundredth of those that
/// share commits waits for, with as many in flight as there are workers.
struct Refreshes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "refreshes")

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Sessions, each of which refreshes again and again.")
    var workers = 256
    @Option(help: "Seconds of each run.")
    var seconds = 3
    @Option(help: "Runs of each kind, one kind after the other; the median counts.")
    var runs = 3

    func run() async throws {
        var group: [Double] = []
        var single: [Double] = []
        var noDisk: [Double] = []
        var p99s: [Double] = []
        for run in 0..<runs {
            let latencies = Latencies()
            group.append(
                try await refreshes("group-\(run)", .full, flowsMax: nil, latencies))
            p99s.append(latencies.p99Milliseconds)
            single.append(try await refreshes("single-\(run)", .full, flowsMax: 1))
            noDisk.append(try await refreshes("none-\(run)", .noneForMeasuring, flowsMax: nil))
        }
        CommitFigures(
            subject: "refreshes", group: .median(group), single: .median(single),
            noDisk: .median(noDisk)
        ).report()
        Figure(name: "refreshes-in-groups-p99", value: .median(p99s), unit: "ms").report()
    }

    private func refreshes(
        _ name: String, _ durability: SQLiteEngine.Durability, flowsMax: Int?,
        _ latencies: Latencies = Latencies()
    ) async throws -> Double {
        var limits = StoreLimits()
        if let flowsMax { limits.groupFlowsMax = flowsMax }
        let store = try Store(
            folder: "\(folder)/\(name)", name: SessionService.storeName,
            migrations: SessionService.migrations, engine: SQLiteEngine(durability: durability),
            limits: limits, time: SystemTime(), logger: .silent)
        defer { store.close() }
        let scene = try await SessionScene(store: store)
        let families = try await scene.families(workers)
        return try await Throughput(workers: workers, duration: .seconds(seconds))
            .measure { place in
                try await latencies.note { try await scene.refresh(families[place]) }
            }
    }
}

/// A session service with the key of the identity service that vouches for its sessions.
private struct SessionScene: Sendable {
    /// The newest refresh token of one session.
    final class Family: Sendable {
        let token: Mutex<String>

        init(_ token: String) { self.token = Mutex(token) }
    }

    private let service: SessionService
    private let seal: SignInProofSeal
    private let randomness = SecureRandomness()

    init(store: Store) async throws {
        let loader = SettingsLoader(
            program: "benchmark", summary: "", arguments: [], environment: [:])
        guard case .run(let settings) = loader.load(SessionSettings.self) else {
            throw ValidationError("the session service has no defaults")
        }
        let proofs = SecretBytes(copying: SecureRandomness().bytes(32))
        seal = SignInProofSeal(key: KeyedHash(key: proofs))
        service = try await SessionService(
            settings: settings, store: store,
            keys: SessionKeys(
                master: SecretBytes(copying: SecureRandomness().bytes(32)), signInProofs: proofs,
                randomness: SecureRandomness()),
            time: SystemTime(), randomness: SecureRandomness(), logger: .silent)
    }

    /// Sessions of as many accounts.
    func families(_ count: Int) async throws -> [Family] {
        try await withThrowingTaskGroup(of: Family.self) { group in
            for _ in 0..<count { group.addTask { try await open() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    func refresh(_ family: Family) async throws {
        let request = SessionV1.RefreshRequest(
            refreshToken: family.token.withLock { $0 }, origin: Self.origin)
        let answer = try await service.refresh(request, Self.context)
        family.token.withLock { $0 = answer.tokens?.refreshToken ?? "" }
    }

    private func open() async throws -> Family {
        let now = SystemTime().now().milliseconds
        let proof = IdentityV1.SignInProof(
            accountId: AccountID.drawn(from: randomness).text, amr: ["pwd"], authTimeMs: now,
            provedAtMs: now, nonce: randomness.bytes(16))
        let answer = try await service.create(
            SessionV1.CreateRequest(proof: seal.seal(proof), origin: Self.origin), Self.context)
        return Family(answer.tokens?.refreshToken ?? "")
    }

    private static let origin = IdentityV1.Origin(deviceId: "d1", platform: "cli")

    private static var context: CallContext {
        CallContext(deadline: SystemTime().uptime() + .seconds(10))
    }
}
