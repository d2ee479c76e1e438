import Cryptography
import ServiceRuntime

/// A guest signed in to an account that there was already: what becomes of the guest's data is a
/// choice, which this names and nobody else can make (G-16). Redeeming it comes with the data.
struct CollisionChoice: Hashable, Sendable {
    /// Long enough for a person to come back to it the same day.
    static let life: Duration = .seconds(24 * 3_600)
    private static let numberBytes = 8
    /// The one purpose: nothing else that is sealed opens as a choice.
    private static let place = SealedPlace(purpose: "identity/collision-choice")

    let guest: AccountID
    let account: AccountID
    let expiresAt: Timestamp

    /// A choice that begins now.
    init(guest: AccountID, account: AccountID, at moment: Timestamp) {
        self.guest = guest
        self.account = account
        expiresAt = moment + Self.life
    }

    /// The token that names it: sealed, so that it tells nothing and cannot be made up.
    func token(_ keys: IdentityKeys) throws -> String {
        let numbers = [guest.key, account.key, expiresAt.milliseconds]
        let bytes = numbers.flatMap { number in
            (0..<Self.numberBytes).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
        }
        return Base64URL.encode(try keys.choices.seal(bytes, at: Self.place))
    }

    /// The choice that a token names; nil for what is none, or has expired.
    init?(token: String, _ keys: IdentityKeys, at moment: Timestamp) {
        // Whatever does not open is no token of ours; why does not matter.
        guard let sealed = Base64URL.decode(token.utf8),
            let bytes = try? keys.choices.open(sealed, at: Self.place),
            bytes.count == 3 * Self.numberBytes
        else { return nil }
        func number(_ place: Int) -> Int64 {
            bytes.dropFirst(place * Self.numberBytes).prefix(Self.numberBytes)
                .reduce(0) { $0 << 8 | Int64($1) }
        }
        guard let guest = AccountID(key: number(0)), let account = AccountID(key: number(1)) else {
            return nil
        }
        self.guest = guest
        self.account = account
        expiresAt = Timestamp(milliseconds: number(2))
        guard moment < expiresAt else { return nil }
    }
}
