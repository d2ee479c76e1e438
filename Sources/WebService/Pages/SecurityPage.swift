import ServiceRuntime

/// What a form of `/security` asks for, after the sign-in.
enum SecurityAct: Hashable, Sendable {
    /// Begin the set-up of an authenticator app.
    case begin
    /// Add the app, by the code that it shows; with the sealed `PageSetUp`.
    case confirm(setUp: String)
    /// Ask whether to remove an app.
    case ask(factorID: String)
    /// Remove it.
    case remove(factorID: String)
    /// Make other recovery codes.
    case makeCodes
    /// Show or change passkeys.
    case passkey(PasskeyAct)
    case signOut

    /// The field that says which it is.
    static let field = "act"
    /// The fields of what it is about.
    static let factorField = "factor"
    static let setUpField = "setup"
    /// The name of a button that asks about the app in its value.
    static let askField = "ask"

    /// The act of a form that was sent; nil for none.
    init?(_ parameters: FormParameters) {
        let factor = parameters[Self.factorField] ?? ""
        switch parameters[Self.field] {
        case "begin": self = .begin
        case "confirm": self = .confirm(setUp: parameters[Self.setUpField] ?? "")
        case "remove": self = .remove(factorID: factor)
        case "codes": self = .makeCodes
        case "sign-out": self = .signOut
        default:
            if let act = PasskeyAct(parameters) {
                self = .passkey(act)
            } else if let asked = parameters[Self.askField] {
                self = .ask(factorID: asked)
            } else {
                return nil
            }
        }
    }

    /// The fields with which a form asks for it, by name and value.
    var fields: [(name: String, value: String)] {
        switch self {
        case .begin: [(Self.field, "begin")]
        case .confirm(let setUp): [(Self.field, "confirm"), (Self.setUpField, setUp)]
        case .ask(let factor): [(Self.askField, factor)]
        case .remove(let factor): [(Self.field, "remove"), (Self.factorField, factor)]
        case .makeCodes: [(Self.field, "codes")]
        case .passkey(let act): act.fields
        case .signOut: [(Self.field, "sign-out")]
        }
    }
}

/// An account's passkeys and second factors, as `/security` shows them.
package struct SecurityPage: Hashable, Sendable {
    /// A second factor.
    package struct Factor: Hashable, Sendable {
        let id: String
        /// Its owner's; may be empty.
        let name: String
        let addedAt: Timestamp
        /// Nil if it was never used.
        let usedAt: Timestamp?
    }

    /// What was just done.
    enum Notice: Hashable, Sendable {
        case added, removed, codesMade, passkeyAdded, passkeyRenamed, passkeyRemoved
    }

    /// Recovery codes below this number are few.
    static let fewCodes = 3

    /// The token of its forms.
    let token: String
    /// The oldest first; nil if they cannot be read now.
    var factors: [Factor]?
    /// The oldest first; nil if they are switched off, or cannot be read now.
    var passkeys: [Passkey]?
    /// What the browser learns of them; nil for nothing.
    var signal: PasskeySignal?
    /// How many recovery codes are left.
    var codesLeft = 0
    /// Those that were just made: they are shown once.
    var codes: [String] = []
    /// When they were made.
    var codesMadeAt: Timestamp?
    var notice: Notice?
    var problem: PageProblem?
}

/// The form that adds an authenticator app.
package struct SetUpForm: Hashable, Sendable {
    let token: String
    /// What the picture and the secret are made of.
    let setUp: PageSetUp
    /// The same, sealed, as the form carries it.
    let sealed: String
    /// The name that was typed; nil before.
    var name: String?
    /// Whether the account has no second factor yet.
    let isFirst: Bool
    var problem: PageProblem?
}
