import Messages

/// What happens to a guest's documents when the guest signs in to an account (G-16).
package enum GuestDataMode: String, CaseIterable, Sendable {
    /// The guest is deleted with them.
    case discard
    /// The user chooses, within `CollisionChoice.life`; without a choice the guest stays.
    case ask
    /// They are moved into the account, and the guest is deleted.
    case merge
    /// The guest stays readable with its own session for a while, and is then deleted.
    case keep

    /// The choice that the setting makes; nil if the user is to choose.
    var choice: GuestDataChoice? {
        switch self {
        case .discard: .discard
        case .ask: nil
        case .merge: .merge
        case .keep: .keep
        }
    }
}

/// What was chosen for a guest's documents. Raw values are stored and must never change; they are
/// also those of the message.
package enum GuestDataChoice: Int64, CaseIterable, Sendable {
    case discard = 1
    case merge = 2
    case keep = 3

    /// The choice of a request.
    /// - Returns: nil if it is missing or unknown.
    init?(_ message: GatewayV1.GuestDataChoice) { self.init(rawValue: Int64(message.rawValue)) }

    /// The choice in a message.
    var message: GatewayV1.GuestDataChoice {
        GatewayV1.GuestDataChoice(rawValue: Int32(rawValue))
    }
}
