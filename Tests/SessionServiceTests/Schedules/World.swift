import ServiceRuntime

@testable import SessionService

/// One session, its clients and its server at one point of a schedule. The server is the real rule
/// on a row as the store has it. The full history is recorded beside it.
struct World {
    let isBound: Bool
    /// The grace of the theorems, in milliseconds.
    let grace: Int64
    /// The grace that the rule gets: the same, unless a test expects a disagreement.
    private let ruleGrace: Int64
    private(set) var now: Int64 = 1_000_000
    private(set) var clients: [Client]
    private(set) var history = History()
    // The row, and what `Confirmations` knows.
    private(set) var leaf: Int64 = 1
    private(set) var rotatedAt: Int64 = 1_000_000
    private(set) var seen: Int64 = 0

    /// The first client has just signed in.
    init(_ clients: [Client], isBound: Bool, grace: Int64, ruleGrace: Int64? = nil) {
        self.clients = clients
        self.isBound = isBound
        self.grace = grace
        self.ruleGrace = ruleGrace ?? grace
    }

    var isOver: Bool { history.isOver }

    /// What the theorems require of a client's next use.
    func verdict(on client: Client) -> History.Verdict {
        isBound
            ? history.verdictWithKey(on: client.held, byDevice: client.hasKey)
            : history.verdictWithoutKey(on: client.held, grace: grace, at: now)
    }

    /// What the rule decides.
    func decision(on client: Client) -> RefreshTokenRotation.Decision {
        let moment = Timestamp(milliseconds: now)
        return RefreshTokenRotation.decision(
            on: .init(
                counter: client.held, proof: client.hasKey ? .proved(signedAt: moment) : .absent,
                isElsewhere: false),
            of: .init(
                leaf: leaf, rotatedAt: Timestamp(milliseconds: rotatedAt),
                confirmed: seen >= leaf ? leaf : leaf - 1, isBound: isBound),
            history.isOver ? .ended(.replayed) : .live, grace: .milliseconds(ruleGrace), at: moment)
    }

    /// Takes a step.
    /// - Returns: the error in the rule's decision; nil if it agrees with the theorems.
    mutating func take(_ step: Step) -> String? {
        switch step {
        case .refresh(let client, let fate): return refresh(client, fate)
        case .validate(let client): useAccess(clients[client].held)
        case .copy(let client, let source): clients[client].held = clients[source].held
        case .restore(let client, let counter): clients[client].held = counter
        case .pause(let milliseconds): now += milliseconds
        case .restart:
            seen = 0
            history.recordRestart()
        }
        return nil
    }

    private mutating func refresh(_ client: Int, _ fate: Step.Fate) -> String? {
        let (verdict, decision) = (verdict(on: clients[client]), decision(on: clients[client]))
        guard Self.agree(verdict, decision, leaf: leaf) else {
            return "the theorems say \(verdict), the rule \(decision)"
        }
        clients[client].left -= 1
        switch decision {
        case .rotate(let counter):
            history.recordUse(of: leaf, at: now)
            (leaf, rotatedAt) = (counter, now)
            receive(client, fate)
        case .again: receive(client, fate)
        case .replayed: history.recordEnd()
        case .refused, .hasEnded, .isOver, .unknown: break
        }
        return isBound && isOver ? "a bound family has ended" : nil
    }

    private mutating func receive(_ client: Int, _ fate: Step.Fate) {
        switch fate {
        case .saved: clients[client].held = leaf
        case .usedThenLost: useAccess(leaf)
        case .lost: break
        }
    }

    private mutating func useAccess(_ counter: Int64) {
        guard !isOver else { return }
        history.recordAccess(counter)
        seen = max(seen, counter)
    }

    private static func agree(
        _ verdict: History.Verdict, _ decision: RefreshTokenRotation.Decision, leaf: Int64
    ) -> Bool {
        switch (verdict, decision) {
        case (.child, .rotate(let counter)): counter == leaf + 1
        case (.sameChild, .again), (.end, .replayed), (.over, .hasEnded): true
        case (.refusal, .refused): true
        default: false
        }
    }
}
