import ServiceRuntime

/// What a form of `/security` asks for about passkeys (F-01).
enum PasskeyAct: Hashable, Sendable {
    /// Show the form that adds one.
    case begin
    /// Add what the browser has made.
    case add
    /// Ask for another name.
    case askName(passkeyID: String)
    /// Give it that name.
    case rename(passkeyID: String)
    /// Ask whether to remove one.
    case askRemoval(passkeyID: String)
    /// Remove it.
    case remove(passkeyID: String)

    /// The field of the passkey that it is about.
    static let passkeyField = "passkey"
    /// The names of the buttons that ask about the passkey in their value.
    static let renameField = "rename"
    static let removeField = "discard"

    /// The act of a form that was sent; nil for none.
    init?(_ parameters: FormParameters) {
        let passkey = parameters[Self.passkeyField] ?? ""
        switch parameters[SecurityAct.field] {
        case "passkey-begin": self = .begin
        case "passkey-add": self = .add
        case "passkey-rename": self = .rename(passkeyID: passkey)
        case "passkey-remove": self = .remove(passkeyID: passkey)
        case nil:
            if let asked = parameters[Self.renameField] {
                self = .askName(passkeyID: asked)
            } else if let asked = parameters[Self.removeField] {
                self = .askRemoval(passkeyID: asked)
            } else {
                return nil
            }
        default: return nil
        }
    }

    /// The fields with which a form asks for it, by name and value.
    var fields: [(name: String, value: String)] {
        switch self {
        case .begin: [(SecurityAct.field, "passkey-begin")]
        case .add: [(SecurityAct.field, "passkey-add")]
        case .askName(let id): [(Self.renameField, id)]
        case .rename(let id): [(SecurityAct.field, "passkey-rename"), (Self.passkeyField, id)]
        case .askRemoval(let id): [(Self.removeField, id)]
        case .remove(let id): [(SecurityAct.field, "passkey-remove"), (Self.passkeyField, id)]
        }
    }
}

extension SecurityPage {
    /// A passkey of the account.
    package struct Passkey: Hashable, Sendable {
        let id: String
        /// Its owner's, or that of the authenticator; may be empty.
        let name: String
        let addedAt: Timestamp
        /// Nil if it was never used since.
        let usedAt: Timestamp?
        /// It belongs to another domain than the operator uses now.
        let isUnusable: Bool
    }
}

/// A page about one passkey.
package struct PasskeyPage: Hashable, Sendable {
    /// What it asks.
    enum Question: Hashable, Sendable {
        /// What is added; with the name that was typed.
        case adding(PasskeyPrompt, name: String)
        /// Its new name.
        case name(SecurityPage.Passkey)
        /// Whether to remove it.
        case removal(SecurityPage.Passkey)
    }

    /// The token of its form.
    let token: String
    let question: Question
    var problem: PageProblem?

    /// What the script asks for.
    var prompt: PasskeyPrompt? {
        if case .adding(let prompt, _) = question { prompt } else { nil }
    }
}
