import Contracts
import Foundation
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

/// A method to attack by, and how many accounts do.
struct Planned {
    /// As in `PublicCalls`.
    let name: String
    let accounts: Int

    init(_ name: String, accounts: Int) {
        self.name = name
        self.accounts = accounts
    }
}

/// The six programs with what the calls of `PublicCalls` need around them, and with the limits that
/// are the defaults; bystanders, and attackers with connections of their own.
final class AbuseStage: Sendable {
    /// The addresses of the attackers.
    private static let addresses = 5
    /// Accounts that are prepared at the same time.
    private static let preparedAtOnce = 4
    /// The accounts of each attacker where each call needs another one.
    private static let onceAccounts = 4

    let cluster: Cluster
    let bystanders: Bystanders
    private let callers: LiveCallers
    private let limits: LimitsReached
    /// The next number of a caller or an address; 0 is the one of `LiveCallers.untilKnown`.
    private let next = Mutex(1)

    private init(
        _ cluster: Cluster, _ bystanders: Bystanders, _ callers: LiveCallers,
        _ limits: LimitsReached
    ) {
        self.cluster = cluster
        self.bystanders = bystanders
        self.callers = callers
        self.limits = limits
    }

    /// Runs `test` with the programs and bystanders, and stops all of it afterwards, even if the test
    /// fails.
    static func with(
        _ size: Bystanders.Size, _ test: (AbuseStage) async throws -> Void
    ) async throws {
        let stage = try await CallStage()
        var failure: (any Error)?
        do {
            try await Cluster.with(environment: stage.environment) { cluster in
                for arguments in CallStage.applications {
                    let added = try await cluster.postern(arguments + ["--data", cluster.data])
                    guard added.exitCode == 0 else { throw ClusterError(message: added.errors) }
                }
                try await with(cluster, stage, size, test)
            }
        } catch {
            failure = error
        }
        await stage.close()
        if let failure { throw failure }
    }

    private static func with(
        _ cluster: Cluster, _ stage: CallStage, _ size: Bystanders.Size,
        _ test: (AbuseStage) async throws -> Void
    ) async throws {
        let endpoints = try String(
            contentsOfFile: "\(cluster.data)/endpoints.json", encoding: .utf8)
        let audience = try WebCalls(endpoints: endpoints, port: 0).url
        guard let gateway = try cluster.addresses()["gateway"] else {
            throw ClusterError(message: "endpoints.json names no gateway")
        }
        // Two, so that a call of a bystander does not wait in a connection of the attackers.
        let all = try (0..<2).map { _ in
            try LiveCallers(
                stage, gateway: gateway, keys: "\(cluster.data)/keys/applications",
                audience: audience)
        }
        defer { all.forEach { $0.close() } }
        try await all[0].untilKnown()
        let limits = try LimitsReached(cluster.client(of: "rate-limit", as: "tool"))
        defer { limits.close() }
        let bystanders = try await Bystanders(size, all[1])
        try await test(AbuseStage(cluster, bystanders, all[0], limits))
    }

    // MARK: Attacks

    /// Prepares the attackers of several methods. Those that merge into documents are the same
    /// accounts for each such method: they have the same documents.
    func attacks(_ planned: [Planned]) async throws -> [Attack] {
        var attacks: [Attack] = []
        var kept: [LiveCaller] = []
        for one in planned {
            let mergesDocuments = one.name.contains("most, merges")
            let attack = try await attack(one, by: mergesDocuments ? kept : [])
            if mergesDocuments { kept = attack.attackers.map(\.caller) }
            attacks.append(attack)
        }
        return attacks
    }

    /// Prepares the attackers of a method, from addresses that no other method has.
    /// - Parameter kept: the attackers, if they exist already.
    func attack(_ planned: Planned, by kept: [LiveCaller] = []) async throws -> Attack {
        guard let call = PublicCalls.all.first(where: { $0.name == planned.name }) else {
            throw ClusterError(message: "PublicCalls has no \(planned.name)")
        }
        let first = numbers(Self.addresses)
        let isSpare = call.isOnce && AttackedLimits.of(call).isEmpty
        let groups = try (0..<planned.accounts).map { index in
            if index < kept.count { return [kept[index]] }
            let address = Self.address(first + index % Self.addresses)
            return try (0..<(isSpare ? Self.onceAccounts : 1)).map { _ in
                try callers.caller(numbers(1), address: address)
            }
        }
        return Attack(call: call, attackers: try await Self.prepare(call, groups))
    }

    private static func prepare(
        _ call: PublicCall, _ groups: [[LiveCaller]]
    ) async throws -> [Attacker] {
        try await withThrowingTaskGroup(of: Attacker.self) { tasks in
            var attackers: [Attacker] = []
            for (index, group) in groups.enumerated() {
                if index >= preparedAtOnce, let attacker = try await tasks.next() {
                    attackers.append(attacker)
                }
                tasks.addTask { try await Attacker(call, by: group) }
            }
            for try await attacker in tasks { attackers.append(attacker) }
            return attackers
        }
    }

    /// The first of so many new numbers.
    private func numbers(_ count: Int) -> Int {
        next.withLock { next in
            next += count
            return next - count
        }
    }

    /// An address of the range for benchmarks (RFC 2544) that `LiveCallers` does not use.
    private static func address(_ number: Int) -> String {
        "198.18.\(number / 250).\(number % 250 + 1)"
    }

    /// Attacks beside the bystanders, and reads before and after what the programs say.
    func run(_ attack: Attack, for duration: Duration) async throws -> AttackReport {
        try await settle()
        try await bystanders.renew()
        let free = try await limits.free(attack)
        let before = try ProgramFigures(of: cluster)
        let (counts, seen) = await attack.run { await bystanders.run(for: duration) }
        let after = try ProgramFigures(of: cluster)
        return AttackReport(
            attack: attack, duration: duration, counts: counts, bystanders: seen,
            before: before, after: after, free: (free, try await limits.free(attack)))
    }

    /// Waits until the programs have done what the calls before have left: at most 10 s.
    private func settle() async throws {
        var before = try ProgramFigures.processorTime(of: cluster)
        _ = try await eventually(within: .seconds(10), every: .milliseconds(200)) {
            let now = try ProgramFigures.processorTime(of: cluster)
            defer { before = now }
            return now - before < 0.03
        }
    }
}
