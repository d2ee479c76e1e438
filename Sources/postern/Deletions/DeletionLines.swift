import JSON
import Messages
import ServiceRuntime

extension GatewayV1.Deletion {
    /// `waiting until 2026-02-07T09:05:00Z`, or `deleting`.
    var phrase: String {
        switch state {
        case .waiting: "waiting until \(Timestamp(milliseconds: dueAtMs).text)"
        case .deleting: "deleting"
        default: "no deletion"
        }
    }
}

extension GatewayV1.AdminDeletion {
    /// As a line
    /// `acc_…  deleting  sessions  3 tries  again at 2026-02-07T09:06:00Z  by owner  OVERDUE`.
    var row: Row {
        let deletion = deletion ?? GatewayV1.Deletion()
        let tries = attempts == 1 ? "1 try" : "\(attempts) tries"
        let again =
            attempts == 0
            ? "" : "again at \(Timestamp(milliseconds: nextAttemptAtMs).text)"
        return Row([
            .init("account_id", accountId, heading: "account"),
            .init("state", .string(deletion.state.word), text: deletion.phrase),
            .init("step", step),
            .init(
                "attempts", .integer(Int64(attempts)), text: "\(attempts)",
                phrase: attempts == 0 ? "" : tries, heading: "tries"),
            .init(
                "next_attempt_at", .moment(nextAttemptAtMs), text: again, heading: "next try"),
            .init("source", source, phrase: "by \(source)"),
            .init("overdue", .boolean(overdue), text: overdue ? "OVERDUE" : ""),
            .init(json: "requested_at", .moment(deletion.requestedAtMs)),
            .init(json: "due_at", .moment(deletion.dueAtMs)),
        ])
    }
}

extension GatewayV1.DeletionState {
    /// Its word in JSON.
    var word: String {
        switch self {
        case .waiting: "waiting"
        case .deleting: "deleting"
        default: "none"
        }
    }
}
