import ArgumentParser
import Contracts
import Cryptography
import Messages
import NIOPosix
import ProviderIssuer
import RPC
import ServiceRuntime

/// Sign-ins with a provider's token through all five programs, for each second of their CPU time. A
/// sign-in includes limits, the check of the token (RS256, 2,048 bits), one commit for account,
/// nonce and sign-in record, and another commit for a new session. The provider's keys are cached.
///
/// The accounts exist before, and each signs in again on the device that it was created on. No
/// account gets so many sessions that one is displaced.
struct ProviderSignIns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "provider-sign-ins")

    /// The most sessions of an account, less the one of its first sign-in.
    private static let runsMax = 4
    /// Programs that use less than this part of a core are idle.
    private static let idle = 0.03

    @Option(help: "The tool `postern`; the programs are in its folder.")
    var postern: String
    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "People, each of whom signs in once in each run.")
    var people = 3_000
    @Option(help: "Concurrent sign-ins.")
    var workers = 64
    @Option(help: "Runs, four at most; the median counts.")
    var runs = 3

    func run() async throws {
        let issuer = try await ProviderIssuer()
        let programs = try await RunningPrograms(
            postern: postern, folder: folder, settings: issuer.environment(for: "google"))
        do {
            try await measure(programs, issuer)
        } catch {
            await programs.stop()
            throw error
        }
        await programs.stop()
        await issuer.close()
    }

    private func measure(_ programs: RunningPrograms, _ issuer: ProviderIssuer) async throws {
        let client = RPCClient(
            try programs.gateway(), group: MultiThreadedEventLoopGroup(numberOfThreads: 1),
            time: SystemTime(), randomness: SecureRandomness())
        defer { client.close() }
        let people = (0..<people).map { ProviderPerson(number: $0, client: client) }
        _ = try await signIn(people, issuer)
        var found: [(rate: Double, times: [String: Double])] = []
        for _ in 0..<min(runs, Self.runsMax) {
            try await settle(programs)
            found.append(try await signIn(people, issuer, watching: programs))
        }
        report(found)
    }

    /// Each person signs in once, with a token that was made before.
    /// - Returns: sign-ins a second, and the CPU time that each program used for all of them.
    private func signIn(
        _ people: [ProviderPerson], _ issuer: ProviderIssuer,
        watching programs: RunningPrograms? = nil
    ) async throws -> (rate: Double, times: [String: Double]) {
        var tokens = [GatewayV1.ProviderToken?](repeating: nil, count: people.count)
        for (index, token) in try await each(people, { try await $1.token(of: issuer) }) {
            tokens[index] = token
        }
        let (ready, before) = (tokens, try programs?.processorTime() ?? [:])
        let begun = ContinuousClock.now
        _ = try await each(people) { try await $1.signIn(by: ready[$0]) }
        let took = (ContinuousClock.now - begun) / .seconds(1)
        let after = try programs?.processorTime() ?? [:]
        return (Double(people.count) / took, after.merging(before) { $0 - $1 })
    }

    /// Runs `act` for each person, by `workers` concurrent tasks.
    private func each<Done: Sendable>(
        _ people: [ProviderPerson],
        _ act: @escaping @Sendable (Int, ProviderPerson) async throws -> Done
    ) async throws -> [(Int, Done)] {
        let workers = workers
        return try await withThrowingTaskGroup(of: [(Int, Done)].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var done: [(Int, Done)] = []
                    for index in stride(from: worker, to: people.count, by: workers) {
                        done.append((index, try await act(index, people[index])))
                    }
                    return done
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Waits until background work of earlier sign-ins, for example their mails, is done.
    private func settle(_ programs: RunningPrograms) async throws {
        var before = try programs.processorTime().values.reduce(0, +)
        while true {
            try await Task.sleep(for: .seconds(1))
            let now = try programs.processorTime().values.reduce(0, +)
            guard now - before > Self.idle else { return }
            before = now
        }
    }

    private func report(_ found: [(rate: Double, times: [String: Double])]) {
        let (name, count) = ("provider-sign-ins", Double(people))
        let whole = Double.median(found.map { $0.times.values.reduce(0, +) })
        Figure(name: name, value: .median(found.map(\.rate)), unit: "sign-ins/s").report()
        Figure(name: "\(name)-a-core", value: count / whole, unit: "sign-ins/s").report()
        for program in found.first?.times.keys.sorted() ?? [] {
            let time = Double.median(found.compactMap { $0.times[program] })
            Figure(name: "\(name)-cpu-\(program)", value: time / count * 1e6, unit: "µs").report()
        }
    }
}

/// A person with an account at the provider, their own client address and device, so that no limit
/// is shared.
private struct ProviderPerson: Sendable {
    let number: Int
    let client: RPCClient

    /// The token that the provider's dialog gives the app for a nonce of Postern's.
    func token(of issuer: ProviderIssuer) async throws -> GatewayV1.ProviderToken {
        let nonce = try await ProvidersClient(client).issueNonce(.init(provider: "google"), context)
        let token = try issuer.token(
            .google(
                of: "1174\(number)", email: "person-\(number)@example.org",
                nonce: nonce.providerNonce))
        return .init(provider: "google", idToken: token, nonce: nonce.nonce)
    }

    func signIn(by token: GatewayV1.ProviderToken?) async throws {
        let device = GatewayV1.Device(deviceId: "device-\(number)", platform: "cli")
        _ = try await ProvidersClient(client).signInWithProvider(
            .init(token: token, device: device), context)
    }

    private var context: CallContext { client.context(ofPerson: number) }
}
