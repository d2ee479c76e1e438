import Contracts
import ServiceRuntime

/// Decides whether an account may add or remove a sign-in method (G-14). Pure.
///
///     add: the identity is       and the account has this method    result
///     the account's own          any                                auth/provider-already-linked
///     another account's          any                                auth/credential-already-in-use
///     unknown                    yes, another subject               auth/provider-already-linked
///     unknown                    no                                 added
///
///     a password: the address is    and the account has    result
///     any                           a password             auth/provider-already-linked
///     none                          no password            auth/operation-not-allowed
///     unverified                    no password            auth/email-not-verified
///     verified                      no password            added
///
///     remove: the method is      and the account has others         result
///     not the account's          any                                auth/no-such-provider
///     the account's              none that can open it              auth/last-sign-in-method
///     the account's              some                               removed
///
/// A password counts only if the account has an address to sign in with (`AccountRow.methods`).
/// Otherwise a user could keep only a password that cannot be used. One that is disowned counts as
/// none (`IdentityTables.passwordCounts`). Where passwords are switched off, one is listed and can be
/// removed, and opens nothing.
///
/// Attack: somebody adds a password to an account whose address is another person's, to sign in with
/// that address. So the address must be verified.
enum MethodRule {
    /// The error code when an identity must not be added; nil when it may.
    /// - Parameter known: the account that has the identity; nil when the identity is unknown.
    static func refusal(
        adding method: SignInMethod, to account: AccountID, having methods: [SignInMethod],
        known: AccountID?
    ) -> ErrorCode? {
        if let known { return known == account ? .providerAlreadyLinked : .credentialAlreadyInUse }
        return methods.contains(method) ? .providerAlreadyLinked : nil
    }

    /// The error code when a password must not be added; nil when it may.
    static func refusal(addingPasswordTo row: AccountRow) -> ErrorCode? {
        refusal(
            addingPasswordTo: row.methods, hasAddress: row.address != nil,
            isProved: row.address?.provedAt != nil)
    }

    /// The same by what decides it.
    static func refusal(
        addingPasswordTo methods: [SignInMethod], hasAddress: Bool, isProved: Bool
    ) -> ErrorCode? {
        if methods.contains(.password) { return .providerAlreadyLinked }
        guard hasAddress else { return .operationNotAllowed }
        return isProved ? nil : .emailNotVerified
    }

    /// The error code when a method must not be removed; nil when it may.
    /// - Parameter opening: those of `methods` that can open the account
    ///   (`IdentitySettings.opening`).
    static func refusal(
        removing method: SignInMethod, from methods: [SignInMethod], opening: [SignInMethod]
    ) -> ErrorCode? {
        guard methods.contains(method) else { return .methodNotLinked }
        return opening.isEmpty || opening == [method] ? .lastMethod : nil
    }

    /// What an explicit link does with the email that the issuer has verified. The owner makes the
    /// call in a session of the account, as with a verification link that is opened there.
    ///
    ///     the account's address    the email's address    result
    ///     none                     free                   becomes the account's address, verified
    ///     unverified               the same               becomes verified
    ///     any other                any                    unchanged
    static func address(
        ownKey: [UInt8]?, isProved: Bool, emailKey: [UInt8]?, isTaken: Bool
    ) -> AddressGain {
        guard let emailKey else { return .none }
        if let ownKey { return ownKey == emailKey && !isProved ? .proved : .none }
        return isTaken ? .none : .gained
    }

    /// The effect on an account's address.
    enum AddressGain: Hashable {
        case none, gained, proved
    }
}
