import Contracts
import Messages
import PublicCalls
import RPC

/// Reads from the rate limiter how much attackers may do, without charging it.
struct LimitsReached: Sendable {
    private let client: RPCClient

    /// - Parameter client: of the rate limiter, with the tool's key.
    init(_ client: RPCClient) { self.client = client }

    func close() { client.close() }

    /// What a limit leaves to one subject.
    struct Subject: Hashable, Sendable {
        let limit: LimitName
        let name: String
    }

    /// What the limits of a method leave to each account or address of an attack, in units.
    /// - Throws: `ServiceError`.
    func free(_ attack: Attack) async throws -> [Subject: Int] {
        var free: [Subject: Int] = [:]
        for row in AttackedLimits.of(attack.call) {
            for attacker in attack.attackers {
                let subject = try await Self.subject(of: row, attacker.caller, attack.call)
                guard free[subject] == nil else { continue }
                free[subject] = try await units(subject)
            }
        }
        return free
    }

    private func units(_ subject: Subject) async throws -> Int {
        let charge = RateLimitV1.Charge(limit: subject.limit.rawValue, subject: subject.name)
        let answer = try await LimitsClient(client)
            .peek(.init(charges: [charge]), client.context(timeout: .seconds(10)))
        guard let decision = answer.decision, !decision.limited else { return 0 }
        // It says how many remain after the next one.
        return Int(decision.remaining) + 1
    }

    private static func subject(
        of row: AttackedLimits, _ caller: LiveCaller, _ call: PublicCall
    ) async throws -> Subject {
        let name =
            switch row.subject {
            case .address: caller.address
            case .email: Bound.mailbox(caller.name)
            case .account: try await caller.account(call.caller).accountID
            case .backend: call.caller.application
            }
        return Subject(limit: row.limit, name: name)
    }
}
