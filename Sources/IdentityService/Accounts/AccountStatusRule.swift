package import Messages
package import ServiceRuntime
package import Storage

/// Whether an account may sign in (I-01). The numbers are those in the store and on the wire, and
/// are never reused.
package enum AccountStatus: Int64, Sendable {
    case active = 1
    case suspended = 2
    case pendingVerification = 3
    case deleting = 4

    /// Whether the account may sign in, use its sessions, and change. Reveal it only to a caller
    /// who has authenticated as the owner.
    package var isUsable: Bool { self == .active }

    /// Whether the account's address may be verified by a mailed link: confirm it, or set a new
    /// password. That is all that a pending account waits for.
    package var mayVerify: Bool { self == .active || self == .pendingVerification }

    /// The status on the wire.
    var message: GatewayV1.AccountStatus {
        GatewayV1.AccountStatus(rawValue: Int32(rawValue))
    }

    /// The status of a message; nil for none or an unknown one.
    package init?(_ message: GatewayV1.AccountStatus) {
        self.init(rawValue: Int64(message.rawValue))
    }
}

/// The events that change an account's status. Nothing else changes it (I-01).
package enum AccountEvent: CaseIterable, Sendable {
    /// The operator suspends the account.
    case suspend
    /// The operator lifts the suspension.
    case restore
    /// The account has an address that must be verified before its first sign-in: a guest signs up
    /// with an address, and the operator requires verification (G-02).
    case awaitVerification
    /// The address is verified.
    case verify
    /// A parent withdraws the consent (G-23).
    case withdrawConsent
    /// The deletion after a withdrawal is cancelled: another parent's consent is needed.
    case consentNeeded
    /// The deletion of the account begins.
    case beginDeletion
    /// The deletion is cancelled.
    case cancelDeletion
}

/// The state of an account: four independent facts. Its status shows the one of highest
/// precedence. The others are stored too, so that no sequence of events bypasses one: deleting a
/// suspended account and then cancelling the deletion leaves it suspended, and lifting a suspension
/// does not verify a pending address.
package struct AccountStanding: Hashable, Sendable {
    /// The deletion has begun.
    package var isDeleting = false
    /// The operator has suspended the account.
    package var isSuspended = false
    /// A parent has withdrawn the consent, which shows as a suspension.
    package var isWithdrawn = false
    /// The address must be verified before the account can sign in.
    var awaitsVerification = false

    /// The status that callers see.
    var status: AccountStatus {
        if isDeleting { return .deleting }
        if isSuspended || isWithdrawn { return .suspended }
        return awaitsVerification ? .pendingVerification : .active
    }
}

/// The status transitions, and what each status allows (I-01). Pure:
///
///     status        suspend      restore      verify       begin deletion   cancel deletion
///     active        suspended    –            –            deleting         –
///     suspended     –            hidden one   (suspended)  deleting         –
///     pending       suspended    –            active       deleting         –
///     deleting      (deleting)   (deleting)   (deleting)   –                hidden one
///
/// A parent's withdrawal suspends as the operator does, as a fact of its own: neither ends the other.
///
/// "–": no change. In brackets: the status stays the same, and a hidden fact changes. "hidden one":
/// the remaining status of highest precedence, in the order suspended, pending, active. The event
/// `awaitVerification` makes an active account pending; in any other status it changes the hidden
/// fact only.
///
///     status        `isUsable`   `mayVerify`
///     active        yes          yes
///     pending       no           yes
///     suspended     no           no
///     deleting      no           no
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
        case .withdrawConsent: standing.isWithdrawn = true
        case .consentNeeded: standing.isWithdrawn = false
        case .beginDeletion: standing.isDeleting = true
        case .cancelDeletion: standing.isDeleting = false
        }
        return standing
    }
}

/// The columns of `accounts` that store a standing: `status` is the visible status, and `beneath`
/// holds the facts that it hides. For rows from before `beneath`, and for rows inserted with a
/// status only (imports), no fact is hidden.
extension IdentityTables {
    /// The column `beneath`.
    package static let accountStatus =
        "ALTER TABLE accounts ADD COLUMN beneath INTEGER NOT NULL DEFAULT 0;"
}

extension SQLSession {
    /// The standing of an account; nil if there is no such account.
    /// - Throws: `SQLError`.
    package func standing(_ account: AccountID) throws -> AccountStanding? {
        try queryOne(
            "SELECT status, beneath FROM accounts WHERE account = ?", [.integer(account.key)]
        ) { row in
            AccountStanding(
                status: try AccountStatus(stored: row.integer(0)), beneath: try row.integer(1))
        }
    }

    /// Whether messages to an account's owner are still sent: it exists and is not being deleted.
    func mayNotify(_ account: AccountID) throws -> Bool {
        guard let standing = try standing(account) else { return false }
        return !standing.isDeleting
    }
}

extension Transaction {
    /// Applies an event to an account. This is the only way to change a status.
    /// - Returns: whether the standing changed; false if there is no such account.
    /// - Throws: `SQLError`.
    @discardableResult
    package func apply(_ event: AccountEvent, _ account: AccountID) throws -> Bool {
        guard let before = try standing(account) else { return false }
        let after = AccountStatusRule.standing(before, after: event)
        guard after != before else { return false }
        try put(
            "UPDATE accounts SET status = ?, beneath = ? WHERE account = ?",
            [
                .integer(after.status.rawValue), .integer(after.beneath), .integer(account.key),
            ])
        return true
    }
}

extension AccountStatus {
    /// The status of a stored number.
    /// - Throws: `SQLError` of kind `.unexpectedValue` for an unknown one.
    package init(stored number: Int64) throws(SQLError) {
        guard let status = AccountStatus(rawValue: number) else {
            throw SQLError(.unexpectedValue, detail: "accounts.status \(number)")
        }
        self = status
    }
}

extension AccountStanding {
    private static let suspendedBit: Int64 = 1
    private static let pendingBit: Int64 = 2
    private static let withdrawnBit: Int64 = 4

    init(status: AccountStatus, beneath: Int64) {
        isDeleting = status == .deleting
        isWithdrawn = beneath & Self.withdrawnBit != 0
        isSuspended =
            status == .suspended && !isWithdrawn || beneath & Self.suspendedBit != 0
        awaitsVerification = status == .pendingVerification || beneath & Self.pendingBit != 0
    }

    /// The facts that the status does not show, as bits.
    var beneath: Int64 {
        (isSuspended && (status != .suspended || isWithdrawn) ? Self.suspendedBit : 0)
            | (isWithdrawn ? Self.withdrawnBit : 0)
            | (awaitsVerification && status != .pendingVerification ? Self.pendingBit : 0)
    }
}
