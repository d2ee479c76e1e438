import ServiceRuntime

/// The events that change an account's status. Nothing else changes it (I-01).
enum AccountEvent: CaseIterable, Sendable {
    /// The operator suspends the account.
    case suspend
    /// The operator lifts the suspension.
    case restore
    /// The account has an address that must be verified before its first sign-in: a guest signs up
    /// with an address, and the operator requires verification (G-02).
    case awaitVerification
    /// The address is verified.
    case verify
    /// The deletion of the account begins.
    case beginDeletion
    /// The deletion is cancelled.
    case cancelDeletion
}

extension AccountStatusRule {
    /// Acts that depend on an account's status.
    enum Act: CaseIterable, Sendable {
        /// Sign in by any method, and authenticate again.
        case signIn
        /// Add or remove a sign-in method.
        case link
        /// Refresh a session.
        case refresh
        /// Verify the address by a mailed link: confirm it, or set a new password.
        case proveAddress
        /// Export all data of the account.
        case export
    }
}

/// The state of an account: three independent facts. Its status shows the one of highest
/// precedence. The others are stored too, so that no sequence of events bypasses one: deleting a
/// suspended account and then cancelling the deletion leaves it suspended, and lifting a suspension
/// does not verify a pending address.
struct AccountStanding: Hashable, Sendable {
    /// The deletion has begun.
    var isDeleting = false
    /// The operator has suspended the account.
    var isSuspended = false
    /// The address must be verified before the account can sign in.
    var awaitsVerification = false

    /// The status that callers see.
    var status: AccountStatus {
        if isDeleting { return .deleting }
        if isSuspended { return .suspended }
        return awaitsVerification ? .pendingVerification : .active
    }
}

/// The status transitions, and the acts that each status allows (I-01). Pure:
///
///     status        suspend      restore      verify       begin deletion   cancel deletion
///     active        suspended    –            –            deleting         –
///     suspended     –            hidden one   (suspended)  deleting         –
///     pending       suspended    –            active       deleting         –
///     deleting      (deleting)   (deleting)   (deleting)   –                hidden one
///
/// "–": no change. In brackets: the status stays the same, and a hidden fact changes. "hidden one":
/// the remaining status of highest precedence, in the order suspended, pending, active. The event
/// `awaitVerification` makes an active account pending; in any other status it changes the hidden
/// fact only.
///
///     status        sign in   link   refresh   verify address   export
///     active        yes       yes    yes       yes              yes
///     pending       no        no     no        yes              no
///     suspended     no        no     no        no               no
///     deleting      no        no     no        no               no
///
/// A pending account waits only for the verification of its address.
enum AccountStatusRule {
    /// The standing after `event`; unchanged if the event has no effect.
    static func standing(
        _ standing: AccountStanding, after event: AccountEvent
    ) -> AccountStanding {
        var standing = standing
        switch event {
        case .suspend: standing.isSuspended = true
        case .restore: standing.isSuspended = false
        case .awaitVerification: standing.awaitsVerification = true
        case .verify: standing.awaitsVerification = false
        case .beginDeletion: standing.isDeleting = true
        case .cancelDeletion: standing.isDeleting = false
        }
        return standing
    }

    /// Whether an account in `status` allows `act`.
    static func allows(_ act: AccountStatusRule.Act, _ status: AccountStatus) -> Bool {
        switch status {
        case .active: true
        case .pendingVerification: act == .proveAddress
        case .suspended, .deleting: false
        }
    }
}
