import Cryptography
import IdentityService
import ServiceRuntime

/// Confirms that a person has seen the consequences of a deletion (G-19). The sealed token names
/// the account and the session or link in whose name they were shown. Attack: a page leads a
/// person's app, by one call that it can forge, to delete the account. It has no token of that
/// session.
struct DeletionConfirmation: Hashable, Sendable {
    /// Long enough to read, and to prove again who one is.
    static let life: Duration = .seconds(600)
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

    /// The token of this confirmation.
    /// - Throws: when sealing fails.
    func token(_ keys: IdentityKeys) throws -> String {
        try keys.confirmations.token(
            of: holder.numbers + [account.key, expiresAt.milliseconds], at: Self.place)
    }

    /// Opens a token. Returns nil when the token is invalid or expired.
    init?(token: String, _ keys: IdentityKeys, at moment: Timestamp) {
        guard let numbers = keys.confirmations.numbers(of: token, count: 4, at: Self.place),
            let holder = DeletionHolder(numbers[0], numbers[1]),
            let account = AccountID(key: numbers[2])
        else { return nil }
        self.account = account
        self.holder = holder
        expiresAt = Timestamp(milliseconds: numbers[3])
        guard moment < expiresAt else { return nil }
    }
}

/// In whose name a deletion is previewed and requested.
enum DeletionHolder: Hashable, Sendable {
    /// A session, by its key.
    case session(Int64)
    /// A mailed link, by its row key.
    case link(Int64)
    /// A link that an app made in its session, by its row key (G-32).
    case sessionLink(Int64)

    /// The row of its link; nil for a session.
    var link: (key: Int64, purpose: LinkPurpose)? {
        switch self {
        case .session: nil
        case .link(let key): (key, .deleteAccount)
        case .sessionLink(let key): (key, .sessionDeletion)
        }
    }

    fileprivate init?(_ kind: Int64, _ key: Int64) {
        switch kind {
        case 1: self = .session(key)
        case 2: self = .link(key)
        case 3: self = .sessionLink(key)
        default: return nil
        }
    }

    fileprivate var numbers: [Int64] {
        switch self {
        case .session(let key): [1, key]
        case .link(let key): [2, key]
        case .sessionLink(let key): [3, key]
        }
    }
}
