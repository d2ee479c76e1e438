import ServiceRuntime

/// What becomes of a record, by what its ids lead to (pure):
///
///     came before    address     identity    phone       outcome
///     yes            any         any         any         unchanged
///     no             owned       any         any         auth/email-already-in-use
///     no             free        owned       any         auth/credential-already-in-use
///     no             free        free        owned       auth/credential-already-in-use
///     no             free        free        free        created
///
/// An account that came before is left as it is, since its owner may have changed it. An address that
/// is owned already is never merged by: that two systems say the same of it proves nobody. The
/// same holds for the second of two records of one file.
enum ImportRule {
    /// Whom the ids of a record lead to; nil for nobody.
    struct Found: Hashable, Sendable {
        var byExternalID: AccountID?
        var byAddress: AccountID?
        var byIdentity: AccountID?
        var byPhone: AccountID?
    }

    /// What is to be done.
    enum Decision: Hashable {
        case create
        case leave(AccountID)
        case refuse(ImportRefusal)
    }

    static func decide(_ found: Found) -> Decision {
        if let account = found.byExternalID { return .leave(account) }
        if found.byAddress != nil {
            return .refuse(ImportRefusal(code: .emailAlreadyInUse, field: "email"))
        }
        if found.byIdentity != nil {
            return .refuse(ImportRefusal(code: .credentialAlreadyInUse, field: "identities"))
        }
        if found.byPhone != nil {
            return .refuse(ImportRefusal(code: .credentialAlreadyInUse, field: "phone_number"))
        }
        return .create
    }
}
