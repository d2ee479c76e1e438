import Cryptography
import ServiceRuntime

/// Confirms that a person has seen the consequences of a deletion (G-19). The sealed token names the
/// account and the session or link in whose name they were shown. Attack: a page leads a person's
/// app, by one call that it can forge, to delete the account. It has no token of that session.
struct DeletionConfirmation: Hashable, Sendable {
    /// Long enough to read, and to prove again who one is.
    static let life: Duration = .seconds(600)
    private static let numberBytes = 8
    /// Bound to one purpose: a value that was sealed for anything else does not open here.
    private static let place = SealedPlace(purpose: "identity/deletion-confirmation")

    let account: AccountID
    let holder: DeletionHolder
    let expiresAt: Timestamp

    /// A confirmation that is valid from `moment` on.
    init(_ account: AccountID, _ holder: DeletionHolder, at moment: Timestamp) {
        self.account = account
        self.holder = holder
        expiresAt = moment + Self.life
    }

    /// The token. It is sealed, so it reveals nothing and cannot be forged.
    /// - Throws: when sealing fails.
    func token(_ keys: IdentityKeys) throws -> String {
        let numbers = holder.numbers + [account.key, expiresAt.milliseconds]
        let bytes = numbers.flatMap { number in
            (0..<Self.numberBytes).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
        }
        return Base64URL.encode(try keys.confirmations.seal(bytes, at: Self.place))
    }

    /// Opens a token. Returns nil when the token is invalid or expired.
    init?(token: String, _ keys: IdentityKeys, at moment: Timestamp) {
        // The caller gets the same answer for every invalid token, so the reason is dropped.
        guard let sealed = Base64URL.decode(token.utf8),
            let bytes = try? keys.confirmations.open(sealed, at: Self.place),
            bytes.count == 4 * Self.numberBytes
        else { return nil }
        func number(_ place: Int) -> Int64 {
            bytes.dropFirst(place * Self.numberBytes).prefix(Self.numberBytes)
                .reduce(0) { $0 << 8 | Int64($1) }
        }
        guard let holder = DeletionHolder(number(0), number(1)),
            let account = AccountID(key: number(2))
        else { return nil }
        self.account = account
        self.holder = holder
        expiresAt = Timestamp(milliseconds: number(3))
        guard moment < expiresAt else { return nil }
    }
}

/// In whose name a deletion is previewed and requested.
enum DeletionHolder: Hashable, Sendable {
    /// A session, by its key.
    case session(Int64)
    /// A mailed link, by its row key.
    case link(Int64)

    fileprivate init?(_ kind: Int64, _ key: Int64) {
        switch kind {
        case 1: self = .session(key)
        case 2: self = .link(key)
        default: return nil
        }
    }

    fileprivate var numbers: [Int64] {
        switch self {
        case .session(let key): [1, key]
        case .link(let key): [2, key]
        }
    }
}
