import ServiceRuntime

/// Decides which account a proved identity signs in to (G-04 … G-07, G-15, X-04). Pure. The safety
/// of every account depends on it.
///
/// An identity is the pair of issuer and subject. If it is known, it signs in to its account,
/// whatever email the token contains. If it is unknown, an email may lead to an account, but only
/// if the issuer has verified the email. If the account's owner has not verified the address here,
/// all credentials of that account are removed. A session of a full account counts as none:
///
///     caller      identity    email in token    its address here        decision
///     guest, any state but active               any                     auth/user-disabled
///     none        known       any               any                     sign in
///     guest       known       any               any                     sign in, and a collision
///     both        known, of a disabled account                          auth/user-disabled
///     none        unknown     none, unverified  not looked up           create, no address
///     guest       unknown     none, unverified  not looked up           upgrade, no address
///     none        unknown     verified, relay   free                    create, address verified
///     guest       unknown     verified, relay   free                    upgrade, address verified
///     none        unknown     verified, relay   owned, verified         link
///     guest       unknown     verified, relay   owned, verified         link, and a collision
///     both        unknown     verified, relay   owned, verified, and    auth/email-already-in-use
///                                               has this provider
///     both        unknown     verified, relay   owned, verified, and    auth/email-already-in-use
///                                               has unlinked this one
///     none        unknown     verified, relay   owned, unverified       take over
///     guest       unknown     verified, relay   owned, unverified       take over, and a collision
///     both        unknown     verified, relay   owner is disabled       auth/user-disabled
///
///     state of an account                       treated as
///     active                                    in the table above
///     pending verification, address unverified  taken over as above, and active afterwards
///     pending verification, otherwise           auth/email-not-verified
///     suspended, deleting                       disabled
///
/// Reasons:
/// - *Link only to a verified owner, otherwise take over.* This stops the classic-federated merge
///   attack of Sudhodanan & Paverd: an attacker registers your address with a password and waits
///   until you sign in with your provider. A link would give you an account that the attacker's
///   password opens. The account therefore keeps its id and documents, and loses every credential
///   (`Takeover`): also sessions (unexpired session attack), other identities (trojan identifier)
///   and pending changes (unexpired email change).
/// - *An unverified email is treated as no email* (non-verifying provider). It leads to no account,
///   and its address is not taken. Otherwise the operator of a provider that verifies nothing could
///   occupy any address here, and its owner would find it taken. The new account has an identity
///   and no address; it can verify one later by mail.
/// - *A relay address counts as verified*: its provider forwards mail only to this person. A new
///   account needs an address that mail reaches, and this is the one its owner has chosen.
/// - *One identity of a provider for each account.* An organisation can reassign an address to
///   another person. The provider then sends another subject with the same email. These are two
///   people, and the address of the first must not let the second one in.
/// - *An identity that the owner has unlinked stays unlinked.* Otherwise an attacker with a stolen
///   provider account would be linked again through its verified email. Only an explicit link by
///   the owner restores it (`IdentityTables.removedIdentities`).
/// - *The status of an account is disclosed* only here, after a valid proof.
/// - *A guest is upgraded only if no account exists yet.* If the identity or its email leads to an
///   account, the call signs in to that one, and the user chooses what happens to the guest
///   (`Collision`).
enum LinkingRule {
    /// The decision for a case.
    static func decision(for linking: Case) -> Decision {
        if let guest = linking.guest, !guest.status.isUsable {
            return .refuse(.accountDisabled)
        }
        if let known = linking.known {
            return refusal(of: known.status).map { .refuse($0) } ?? .signIn(known.account)
        }
        guard linking.email.isProof else { return new(linking.guest, ownsAddress: false) }
        guard let owner = linking.owner else { return new(linking.guest, ownsAddress: true) }
        return decision(about: owner)
    }

    private static func decision(about owner: AddressOwner) -> Decision {
        let account = owner.holder.account
        if owner.holder.status == .pendingVerification, !owner.isProved {
            return .takeOver(account)
        }
        if let code = refusal(of: owner.holder.status) { return .refuse(code) }
        guard owner.isProved else { return .takeOver(account) }
        return owner.hasThisMethod || owner.wasRemoved
            ? .refuse(.emailAlreadyInUse) : .link(account)
    }

    private static func new(_ guest: AccountHolder?, ownsAddress: Bool) -> Decision {
        if let guest {
            .upgrade(guest.account, ownsAddress: ownsAddress)
        } else {
            .create(ownsAddress: ownsAddress)
        }
    }

    /// The error code for a sign-in to an account of this status; nil when sign-in is allowed.
    private static func refusal(of status: AccountStatus) -> ErrorCode? {
        switch status {
        case .active: nil
        case .pendingVerification: .emailNotVerified
        case .suspended, .deleting: .accountDisabled
        }
    }
}

extension LinkingRule {
    /// The input of the rule, after an identity has been proved.
    struct Case: Hashable, Sendable {
        /// The guest whose session made the call; nil for none. The session of a full account
        /// counts as none.
        var guest: AccountHolder?
        /// The account that has this identity; nil when the identity is unknown.
        var known: AccountHolder?
        /// What the issuer states about the email.
        var email: EmailClaim
        /// The owner of that address here; nil when it is free, or when the email proves nothing.
        var owner: AddressOwner?
    }
}

/// An account and its status.
struct AccountHolder: Hashable, Sendable {
    let account: AccountID
    let status: AccountStatus
}

extension LinkingRule {
    /// The account that owns an address.
    struct AddressOwner: Hashable, Sendable {
        let holder: AccountHolder
        /// The address has been verified here.
        let isProved: Bool
        /// The account has another identity of the same provider.
        let hasThisMethod: Bool
        /// The owner has unlinked this identity.
        let wasRemoved: Bool
    }
}

extension LinkingRule {
    /// What an issuer states about an email.
    enum EmailClaim: Hashable, CaseIterable, Sendable {
        case none, unverified, verified, relay

        /// Classifies the email of a token.
        init(_ email: ProvedIdentity.Email?) {
            guard let email else {
                self = .none
                return
            }
            self = email.isVerified ? (email.isRelay ? .relay : .verified) : .unverified
        }

        /// Whether the issuer states that the address belongs to this person.
        var isProof: Bool { self == .verified || self == .relay }
    }
}

extension LinkingRule {
    /// What to do with a proved identity.
    enum Decision: Hashable, Sendable {
        /// The identity belongs to this account: sign in.
        case signIn(AccountID)
        /// Link the identity to this account. Both sides have verified the address.
        case link(AccountID)
        /// Link the identity to this account and remove all of the account's other credentials.
        case takeOver(AccountID)
        /// The calling guest becomes a full account with this identity.
        case upgrade(AccountID, ownsAddress: Bool)
        /// Create an account for the identity.
        case create(ownsAddress: Bool)
        case refuse(ErrorCode)
    }
}
