import Messages
import ServiceRuntime

/// Decides what happens to a record, by the accounts that its ids match (pure):
///
///     imported before    address     identity    phone       outcome
///     yes                any         any         any         unchanged
///     no                 owned       any         any         auth/email-already-in-use
///     no                 free        owned       any         auth/credential-already-in-use
///     no                 free        free        owned       auth/credential-already-in-use
///     no                 free        free        free        created
///
/// An account that was imported before does not change, since its owner may have changed it.
/// Accounts are never merged by an address: that two systems have the same address proves no
/// identity. The same holds for the second of two records in one file.
enum ImportRule {
    /// The accounts that a record's ids match; nil for none.
    struct Found: Hashable, Sendable {
        var byExternalID: AccountID?
        var byAddress: AccountID?
        var byIdentity: AccountID?
        var byPhone: AccountID?
    }

    /// The decision about a record.
    enum Decision: Hashable {
        case create
        case leave(AccountID)
        case refuse(ImportRule.Refusal)
    }

    static func decide(_ found: Found) -> Decision {
        if let account = found.byExternalID { return .leave(account) }
        if found.byAddress != nil {
            return .refuse(ImportRule.Refusal(code: .emailAlreadyInUse, field: "email"))
        }
        if found.byIdentity != nil {
            return .refuse(ImportRule.Refusal(code: .credentialAlreadyInUse, field: "identities"))
        }
        if found.byPhone != nil {
            return .refuse(ImportRule.Refusal(code: .credentialAlreadyInUse, field: "phone_number"))
        }
        return .create
    }
}

extension ImportRule {
    /// The reason why a record is rejected. Each record has its own, so that the rest of the file
    /// is imported.
    struct Refusal: Error, Hashable {
        let code: ErrorCode
        /// The record's field with the error.
        let field: String
        /// Details, if the code and the field do not suffice.
        var reason = ""

        /// The refusal in a protobuf message.
        var answer: IdentityV1.ImportAnswer {
            IdentityV1.ImportAnswer(
                outcome: .refused, code: code.rawValue, field: field, reason: reason)
        }
    }
}
