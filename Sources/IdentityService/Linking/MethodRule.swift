import ServiceRuntime

/// Whether who is signed in may add a way of signing in, or take one away (G-14). Pure.
///
///     add: the identity is    and the account has one of this method    answer
///     the account's own       any                                       auth/provider-already-linked
///     another account's       any                                       auth/credential-already-in-use
///     unknown                 yes, another subject                      auth/provider-already-linked
///     unknown                 no                                        added
///
///     take away: the method is    and the account has others            answer
///     not the account's           any                                   auth/no-such-provider
///     the account's               none                                  auth/last-sign-in-method
///     the account's               some                                  taken away
///
/// A password counts only where there is an address to enter it with (`AccountRow.methods`), so that
/// nobody is left with one that opens nothing.
enum MethodRule {
    /// Why an identity is not added; nil where it is.
    /// - Parameter known: the account that has the identity; nil where it is unknown.
    static func refusal(
        adding method: String, to account: AccountID, having methods: [String],
        known: AccountID?
    ) -> ErrorCode? {
        if let known { return known == account ? .providerAlreadyLinked : .credentialAlreadyInUse }
        return methods.contains(method) ? .providerAlreadyLinked : nil
    }

    /// Why a method is not taken away; nil where it is.
    static func refusal(removing method: String, from methods: [String]) -> ErrorCode? {
        guard methods.contains(method) else { return .methodNotLinked }
        return methods.count == 1 ? .lastMethod : nil
    }

    /// What an explicit link does with the email that the issuer has proved. Its owner asks in the
    /// account's own session, as with a verification link that is opened there.
    ///
    ///     the account's address    the email's address    answer
    ///     none                     free                   becomes the account's, proved
    ///     unproved                 the same               is proved
    ///     any other                any                    stays as it is
    static func address(
        ownKey: [UInt8]?, isProved: Bool, emailKey: [UInt8]?, isTaken: Bool
    ) -> AddressGain {
        guard let emailKey else { return .none }
        if let ownKey { return ownKey == emailKey && !isProved ? .proved : .none }
        return isTaken ? .none : .gained
    }

    /// What becomes of an account's address.
    enum AddressGain: Hashable {
        case none, gained, proved
    }
}
