package import Addresses
package import Contracts
import ServiceRuntime

/// An identity that a provider's token or a phone code has proved, with what its issuer says about
/// its owner. Issuer and subject identify it; an email never does.
package struct ProvedIdentity: Sendable {
    /// The sign-in method, as shown to owners.
    let method: SignInMethod
    /// The provider's issuer as in its metadata ("https://accounts.google.com"), or
    /// `PhoneIdentity.issuer`.
    package let issuer: String
    /// The issuer's identifier of the person; for a phone, the number in E.164.
    package let subject: String
    /// The email that the issuer reports; nil if it reports none.
    var email: Email?
    /// Display name; empty if the issuer reports none.
    var displayName = ""
    /// Picture URL; empty if the issuer reports none.
    var photoURL = ""
    /// The provider's authorization code, which is exchanged for a grant after the sign-in (G-04,
    /// G-05); nil for none.
    var code: GrantCode?
    /// The operator's client id in the token's audience; the code is exchanged under the same
    /// one. Empty if there is none.
    var audience = ""
    /// Used once: it is stored with the sign-in, and rejected afterwards (G-05).
    var nonce: UsedNonce?
    /// The token says that two proofs were given at the provider (`Provider.BothProofs`). It counts
    /// for an identity that the account has already, and for no other.
    var hasBothProofs = false
}

extension ProvedIdentity {
    /// An email as an issuer reports it.
    package struct Email: Hashable, Sendable {
        /// The address.
        let address: EmailAddress
        /// Whether the issuer says that the email is verified, and the operator trusts this issuer
        /// for that. Any other value (false, "false", absent, 1, null) is false, and nothing is
        /// linked by it.
        let isVerified: Bool
        /// Whether the email is a relay address of the provider, which forwards mail and is no main
        /// address (Apple's "Hide My Email").
        let isRelay: Bool

        /// An email with what its issuer says about it.
        package init(address: EmailAddress, isVerified: Bool, isRelay: Bool) {
            self.address = address
            self.isVerified = isVerified
            self.isRelay = isRelay
        }
    }

    /// What it proves of an account that has it, as sessions and tokens show it.
    var authenticationOfOwn: Authentication {
        hasBothProofs ? .strongProviderToken : method.authentication
    }

    /// An identity that nothing but its issuer's name for the person has proved here: of an import
    /// or a look-up. No code, client id or nonce came with it.
    package init(
        method: SignInMethod, issuer: String, subject: String, email: Email?, displayName: String
    ) {
        self.init(method: method, issuer: issuer, subject: subject)
        self.email = email
        self.displayName = displayName
    }
}

/// A nonce that a sign-in uses.
package struct UsedNonce: Hashable, Sendable {
    /// Keyed hash.
    let key: [UInt8]
    /// After this the nonce is rejected as expired in any case, so its row may be deleted.
    let expiresAt: Timestamp
    /// Whether `Nonces` issued it. Otherwise it stands for a phone code, whose own row expires when
    /// the store is restored (`IdentityRestore`).
    let isIssued: Bool
}

/// The profile data of a provider that is safe to store. A provider accepts values from its users
/// that this service would reject.
package struct ShownProfile: Sendable {
    private static let photoURLBytesMax = 2_048

    /// Nil when the provider sent none, or an invalid one.
    let displayName: String?
    /// Nil when the provider sent none, or an invalid one.
    let photoURL: String?

    init(_ proved: ProvedIdentity) {
        let name = proved.displayName
        displayName = !name.isEmpty && Applicant.isDisplayName(name) ? name : nil
        photoURL = Self.isPhoto(proved.photoURL) ? proved.photoURL : nil
    }

    /// Whether an app can use the URL without further checks: `https`, printable ASCII, at most
    /// `photoURLBytesMax`, no quotes or brackets.
    package static func isPhoto(_ url: String) -> Bool {
        url.hasPrefix("https://") && url.utf8.count <= photoURLBytesMax
            && url.utf8.allSatisfy { byte in
                (33...126).contains(byte) && !"\"'<>\\^`{|}".utf8.contains(byte)
            }
    }
}
