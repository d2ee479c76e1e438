import Messages
package import ServiceRuntime
package import Storage

/// Notices when an account is complete for the first time (G-01, D0): its owner is left with
/// neither `COMPLETE_PROFILE` nor `COMPLETE_ONBOARDING`. Each flow that may bring that about asks in
/// its transaction, and so does every sign-in, since the operator may ask for less at any time.
///
///     the account       the app asks for   left for the owner   then
///     a guest           any                any                  nothing
///     complete before   any                any                  nothing
///     any other         any                one or both          nothing
///     any other         both or one        neither              complete; audit, and the welcome
///     any other         neither            neither              complete; the welcome
///
/// Without a profile and an onboarding to complete, every sign-up would leave a record of something
/// that its owner never did.
package struct ProfileCompletion: AccountWriting, Sendable {
    let answers: AccountAnswers

    package var writer: AccountWriter { answers.writer }

    /// Asks by the facts of these answers.
    package init(answers: AccountAnswers) {
        self.answers = answers
    }

    /// Records the moment, if this is it.
    /// - Parameters:
    ///   - row: The account after the change.
    ///   - device: That of the call, for the welcome.
    /// - Throws: `SQLError`; if the account's key does not decrypt, or sealing the mail fails.
    package func record(
        _ row: AccountRow, on device: DeviceShown, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws {
        guard !row.isGuest, !row.isProfileComplete else { return }
        let facts = try answers.facts(row, in: transaction)
        let left = try answers.answer(row, facts, lastSignInAt: nil).requiredActions
        guard !left.contains(.completeProfile), !left.contains(.completeOnboarding) else { return }
        try transaction.setProfileComplete(row.account)
        if facts.asksForProfile || facts.hasOnboarding
            || answers.settings.displayName == .required
        {
            let seconds = (transaction.at - row.createdAt).milliseconds / 1_000
            try transaction.audit(
                AuditEvent(.profileCompleted, account: row.account.key, attempt: max(0, seconds))
                    .from(origin))
        }
        try notices.welcome(
            row, at: .completion, as: answers.settings.welcomeMail, device, transaction)
    }

    /// The same for an account whose row the flow has not read.
    /// - Throws: as the other.
    package func record(
        _ account: AccountID, on device: DeviceShown, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws {
        guard let row = try transaction.account(account) else { return }
        try record(row, on: device, from: origin, transaction)
    }
}

/// When an account was complete for the first time. Accounts from before the column, and those that
/// the release before or an import makes, have 0: they count as complete.
extension IdentityTables {
    /// The column `completed_at_ms`.
    package static let profileCompletion = """
        ALTER TABLE profiles ADD COLUMN completed_at_ms INTEGER DEFAULT 0;
        """
}

extension Transaction {
    fileprivate func setProfileComplete(_ account: AccountID) throws {
        try put(
            """
            UPDATE profiles SET completed_at_ms = ?
            WHERE account = ? AND completed_at_ms IS NULL
            """, [SQLValue(at), .integer(account.key)])
    }
}
