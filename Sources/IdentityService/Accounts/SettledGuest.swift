package import Messages
import ServiceRuntime
import Storage

/// A guest that has signed in to another account.
package struct SettledGuest: Sendable {
    /// With ids only, as it is stored for repeats; nil if there is nothing to tell.
    let collision: GatewayV1.Collision?
    /// The guest as the sign-in left it; nil if a repeat no longer finds it.
    let row: AccountRow?

    /// A guest that was settled.
    package init(collision: GatewayV1.Collision?, row: AccountRow?) {
        self.collision = collision
        self.row = row
    }

    /// The collision as the response has it, with the guest's account.
    func answer(_ answers: AccountAnswers) async throws -> GatewayV1.Collision? {
        guard var collision, let row else { return collision }
        collision.guest = try await answers.account(row)
        return collision
    }
}

extension SettledGuest {
    /// The guest of a repeated sign-in; nil without a collision.
    init?(_ stored: GatewayV1.Collision?, in session: some SQLSession) throws {
        guard let stored else { return nil }
        self.init(collision: stored, row: try stored.guestID.flatMap(session.account))
    }
}

extension GatewayV1.Collision {
    /// The account of the guest.
    fileprivate var guestID: AccountID? { guest.flatMap { AccountID(text: $0.accountId) } }
}
