import Cryptography
import IdentityService
import Messages
import ServiceRuntime

/// The choice about a guest's data when the guest signs in to an existing account (G-16). The
/// sealed token names the two accounts, so only its holder can make the choice, in a session of the
/// account (`chooseGuestData`).
///
/// Attack: somebody signs in to their own account on another person's device, keeps the choice
/// token, and later reads with it what the guest has written since. So a token is void once all
/// sessions of the guest were ended. That the guest signed out does not make it void: apps do that
/// when they change to the account.
struct CollisionChoice: Hashable, Sendable {
    /// Long enough for the user to decide later on the same day.
    static let life: Duration = .seconds(24 * 3_600)
    /// Bound to one purpose: a value that was sealed for anything else does not open as a choice.
    private static let place = SealedPlace(purpose: "identity/collision-choice")

    let guest: AccountID
    let account: AccountID
    /// The session generation of the guest.
    let guestGeneration: Int64
    let expiresAt: Timestamp

    /// A choice that is valid from `moment` on.
    init(guest: AccountID, generation: Int64, account: AccountID, at moment: Timestamp) {
        self.guest = guest
        guestGeneration = generation
        self.account = account
        expiresAt = moment + Self.life
    }

    /// The choice as a response has it, with the guest's id only.
    /// - Throws: when sealing fails.
    func message(_ keys: IdentityKeys) throws -> GatewayV1.Collision {
        GatewayV1.Collision(
            guest: GatewayV1.Account(accountId: guest.text), choiceToken: try token(keys),
            expiresAtMs: expiresAt.milliseconds)
    }

    /// The token for this choice.
    /// - Throws: when sealing fails.
    func token(_ keys: IdentityKeys) throws -> String {
        try keys.choices.token(
            of: [guest.key, account.key, expiresAt.milliseconds, guestGeneration],
            at: Self.place)
    }

    /// Opens a token. Returns nil when the token is invalid or expired.
    init?(token: String, _ keys: IdentityKeys, at moment: Timestamp) {
        guard let numbers = keys.choices.numbers(of: token, count: 4, at: Self.place),
            let guest = AccountID(key: numbers[0]), let account = AccountID(key: numbers[1])
        else { return nil }
        self.guest = guest
        self.account = account
        expiresAt = Timestamp(milliseconds: numbers[2])
        guestGeneration = numbers[3]
        guard moment < expiresAt else { return nil }
    }
}
