package import ServiceRuntime
package import Storage

/// The documents of guests, for sign-ins (G-16, G-27).
package protocol GuestDocuments: Sendable {
    /// Settles the guest that signed in to an account; nil without one.
    func settle(
        _ caller: CallingSession?, afterSignInTo account: AccountID, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> SettledGuest?

    /// Releases a guest that became an account: it keeps what it has, and can write again.
    func release(_ guest: AccountID, _ transaction: Transaction) throws

    /// Wakes what `settle` may have given work. To be called after its commit.
    func wake()
}
