/// A way to sign in to an account, as its list of methods, the store, mails and calls name it
/// (G-14). To add one: a case, its row in `facts`, its place in `builtIn`, and its words
/// (`method/NAME` in `Sources/Texts/mail/words.en.txt` and the other languages).
///
/// A guest has no method (G-07), and a device's key is none: it proves again who has signed in.
/// Both are an `Authentication`.
package enum SignInMethod: Hashable, Sendable {
    /// The account's password. It needs an address to sign in with.
    case password
    /// A code in a text message to the account's number.
    case phone
    /// A passkey of the account (F-01): once, however many there are.
    case passkey
    /// A provider, by its name in the operator's settings.
    case provider(String)

    /// The methods that are no provider.
    package static let builtIn: [SignInMethod] = [.password, .phone, .passkey]

    /// The method that a store or a request names. A name that is not built in is a provider's,
    /// also if the operator has none of that name: an account keeps what was linked to it.
    package init(name: String) {
        self = Self.builtIn.first { $0.name == name } ?? .provider(name)
    }

    /// The name in stores, lists and calls.
    package var name: String { facts.name }

    /// What it proves, in a sign-in and in a recent proof. A passkey may also prove to be one that
    /// cannot be copied (`Authentication.hardwarePasskey`).
    package var authentication: Authentication { facts.authentication }

    private var facts: (name: String, authentication: Authentication) {
        switch self {
        case .password: ("password", .password)
        case .phone: ("phone", .phoneCode)
        case .passkey: ("passkey", .softwarePasskey)
        case .provider(let name): (name, .providerToken)
        }
    }
}

extension SignInMethod {
    /// Names of methods to come. A provider that had one would be taken for the method, in the rows
    /// of its accounts and in apps.
    private static let planned = ["email", "recovery-code", "totp"]

    /// Words for what else people sign in with or are offered (`wire.Error.alternatives`), and for
    /// this product.
    private static let ownWords = [
        "anonymous", "code", "device", "device-key", "guest", "link", "postern", "reset-password",
        "sign-up", "sms",
    ]

    /// The names that no provider may have, beside those of `BuiltInProvider`.
    package static let reservedNames = Set(builtIn.map(\.name) + planned + ownWords)
}
