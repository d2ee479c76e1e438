import Contracts
import Storage

/// Decides when the owner of an account is welcomed by a mail (N-01, D0). Pure:
///
///     welcome-mail   at the sign-up   address verified later        profile complete
///     verified       welcomed         welcomed                      -
///     sign-up        welcomed         -                             -
///     profile        -                welcomed if it is complete    welcomed if it is verified
///     never          -                -                             -
///
/// `profile` is the later of the two. *At the sign-up* is one whose proof verifies the address. One
/// that does not gets the verification mail, whose words welcome its reader, and no other mail:
/// attack: somebody signs up with the addresses of others, to have the service send mail there.
enum WelcomeRule {
    /// What happened in the transaction.
    enum Moment: Hashable, Sendable {
        case signUp
        /// The address was verified for the first time, after the sign-up.
        case verification
        /// Profile and onboarding are complete for the first time.
        case completion
    }

    /// - Parameters:
    ///   - isProved: whether the address is verified.
    ///   - isComplete: whether profile and onboarding were complete before.
    static func isWelcomed(
        at moment: Moment, as mode: IdentitySettings.WelcomeMailMode, isProved: Bool,
        isComplete: Bool
    ) -> Bool {
        switch (mode, moment) {
        case (.verified, .signUp), (.signUp, .signUp): isProved
        case (.verified, .verification): true
        case (.profile, .verification): isComplete
        case (.profile, .completion): isProved
        case (.verified, .completion), (.signUp, .verification), (.signUp, .completion),
            (.profile, .signUp), (.never, _):
            false
        }
    }
}

extension OwnerNotice {
    /// Welcomes the owner of an account by the name in its profile, if this is the moment.
    /// - Parameter row: The account; before it, for a verification.
    /// - Throws: as `write`; if the account's key does not decrypt.
    func welcome(
        _ row: AccountRow, at moment: WelcomeRule.Moment,
        as mode: IdentitySettings.WelcomeMailMode, _ device: DeviceShown,
        _ transaction: Transaction
    ) throws {
        guard
            WelcomeRule.isWelcomed(
                at: moment, as: mode, isProved: row.address?.provedAt != nil,
                isComplete: row.isProfileComplete)
        else { return }
        let name = try reader.vault(row).open(row.sealedDisplayName, .displayName)
        try write(.welcome, to: row.account, device, with: [.name(name)], transaction)
    }
}
