import ArgumentParser
import Cryptography
import FoundationEssentials
import NIOPosix
import ProviderIssuer
import RPC
import ServiceRuntime

/// Sign-ins with a provider's token through all five programs, for each second of their CPU time. A
/// sign-in includes limits, the check of the token (RS256, 2,048 bits), one commit for account,
/// nonce and sign-in record, and another commit for a new session. The provider's keys are cached.
///
/// Then the same people sign in with a passkey (ES256): in place of the token, nonce and its record, a
/// signature and a challenge.
///
/// The accounts exist before, and each signs in again on the device that it was created on. No
/// account gets so many sessions that one is displaced.
///
/// Two sets of programs take turns: one as by default, and one that does not remember the places of
/// sign-ins (`sign-in-places`).
struct ProviderSignIns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "provider-sign-ins")

    /// The most sessions of an account.
    private static let sessionsMax = 100
    private static let runsMax = 20
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
    @Option(help: "Runs, twenty at most; the median counts.")
    var runs = 3

    func run() async throws {
        let issuer = try await ProviderIssuer()
        var sides: [Side] = []
        do {
            for remembersPlaces in [true, false] {
                sides.append(try await side(issuer, remembersPlaces: remembersPlaces))
            }
            try await measure(sides, issuer)
        } catch {
            for side in sides { await side.stop() }
            throw error
        }
        for side in sides { await side.stop() }
        await issuer.close()
    }

    /// A set of programs, and the people who sign in there.
    private struct Side {
        let programs: RunningPrograms
        let client: RPCClient
        let people: [ProviderPerson]

        func stop() async {
            client.close()
            await programs.stop()
        }
    }

    private func side(_ issuer: ProviderIssuer, remembersPlaces: Bool) async throws -> Side {
        let own = "\(folder)/\(remembersPlaces ? "places" : "no-places")"
        try FileManager.default.createDirectory(
            atPath: own, withIntermediateDirectories: true)
        var settings = issuer.environment(for: "google")
        settings["POSTERN_SIGN_IN_PLACES"] = "\(remembersPlaces)"
        settings["POSTERN_SESSIONS_MAX"] = "\(Self.sessionsMax)"
        settings.merge(ProviderPerson.passkeySettings) { _, new in new }
        let programs = try await RunningPrograms(
            postern: postern, folder: own, settings: settings)
        do {
            let client = RPCClient(
                try programs.gateway(), group: MultiThreadedEventLoopGroup(numberOfThreads: 1),
                time: SystemTime(), randomness: SecureRandomness())
            let people = try (0..<people).map { try ProviderPerson(number: $0, client: client) }
            return Side(programs: programs, client: client, people: people)
        } catch {
            await programs.stop()
            throw error
        }
    }

    private func measure(_ sides: [Side], _ issuer: ProviderIssuer) async throws {
        for side in sides {
            _ = try await signIn(side.people) {
                try await $0.token(of: issuer)
            } by: {
                try await $0.setUp(by: $1)
            }
        }
        var found = sides.map { _ in (providers: [Run](), passkeys: [Run]()) }
        for _ in 0..<min(runs, Self.runsMax) {
            for (index, side) in sides.enumerated() {
                for each in sides { try await settle(each.programs) }
                found[index].providers.append(
                    try await signIn(side.people, watching: side.programs) {
                        try await $0.token(of: issuer)
                    } by: {
                        _ = try await $0.signIn(by: $1)
                    })
                for each in sides { try await settle(each.programs) }
                found[index].passkeys.append(
                    try await signIn(side.people, watching: side.programs) {
                        try await $0.signature()
                    } by: {
                        try await $0.signIn(by: $1)
                    })
            }
        }
        report(found[0], without: found[1])
    }

    private typealias Runs = (providers: [Run], passkeys: [Run])

    private func report(_ found: Runs, without: Runs) {
        let (providers, passkeys) = ("provider-sign-ins", "passkey-sign-ins")
        let aCore = report(found.providers, providers)
        let aCoreWithout = report(without.providers, "\(providers)-without-places")
        Figure(
            name: "\(providers)-a-core/without-places", value: aCore / aCoreWithout, unit: "×"
        ).report()
        let byPasskey = report(found.passkeys, passkeys)
        Figure(
            name: "\(passkeys)-a-core/\(providers)-a-core", value: byPasskey / aCore, unit: "×"
        ).report()
    }

    /// Sign-ins a second, and the CPU time that each program used for all of them.
    private typealias Run = (rate: Double, times: [String: Double])

    /// Each person signs in once, with what was prepared before.
    private func signIn<Proof: Sendable>(
        _ people: [ProviderPerson], watching programs: RunningPrograms? = nil,
        with prepare: @escaping @Sendable (ProviderPerson) async throws -> Proof,
        by act: @escaping @Sendable (ProviderPerson, Proof) async throws -> Void
    ) async throws -> Run {
        var proofs = [Proof?](repeating: nil, count: people.count)
        for (index, proof) in try await each(people, { try await prepare($1) }) {
            proofs[index] = proof
        }
        let (ready, before) = (proofs.compactMap(\.self), try programs?.processorTime() ?? [:])
        let begun = ContinuousClock.now
        _ = try await each(people) { try await act($1, ready[$0]) }
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

    /// - Returns: sign-ins for each second of CPU time.
    private func report(_ found: [Run], _ name: String) -> Double {
        let count = Double(people)
        let aCore = count / Double.median(found.map { $0.times.values.reduce(0, +) })
        Figure(name: name, value: .median(found.map(\.rate)), unit: "sign-ins/s").report()
        Figure(name: "\(name)-a-core", value: aCore, unit: "sign-ins/s").report()
        for program in found.first?.times.keys.sorted() ?? [] {
            let time = Double.median(found.compactMap { $0.times[program] })
            Figure(name: "\(name)-cpu-\(program)", value: time / count * 1e6, unit: "µs").report()
        }
        return aCore
    }
}
