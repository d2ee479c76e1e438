import Contracts

/// What somebody must have, or know, to give a proof. Two proofs are independent if they have no
/// channel in common: who holds one channel has not got the other by it (F-03).
///
///     proof                                                 channels
///     password                                              memory
///     mailed link or code                                   mailbox
///     code in a text message                                number
///     provider's token                                      provider
///     one that names the account's own address              provider, mailbox
///     passkey                                               passkey
///     code of an authenticator app                          app
///     recovery code                                         paper
///
/// Attack: somebody reads an account's mail. A reset link, a code to the same address, and a provider
/// whose account is recovered by that mailbox, are one channel; together they prove no more than one
/// of them.
enum ProofChannel: Hashable, Sendable {
    case memory, mailbox, number, passkey, app, paper
    /// The account at a provider, by the provider's name.
    case provider(String)
}

/// The first proof of a sign-in, as the gate judges it.
struct FirstProof: Hashable, Sendable {
    /// As lists and audit events name it.
    let method: SignInMethod
    /// What it proved, as sessions and tokens show it.
    let authentication: Authentication
    let channels: Set<ProofChannel>
    /// Keyed hash of the number, of a phone code; nil for any other proof.
    var numberKey: [UInt8]?
    /// It counts as both proofs: a passkey, or a provider says that two were given there
    /// (`ProvedIdentity.hasBothProofs`). No factor is asked for beside it.
    var isBothProofs = false

    /// The account's password.
    static let password = FirstProof(
        method: .password, authentication: .password, channels: [.memory])

    /// A mailed link, by which a new password is set.
    static let resetLink = FirstProof(
        method: .password, authentication: .resetLink, channels: [.mailbox])

    /// A passkey: the device has it, and has verified the person.
    static func passkey(_ authentication: Authentication) -> FirstProof {
        var proof = FirstProof(
            method: .passkey, authentication: authentication, channels: [.passkey])
        proof.isBothProofs = true
        return proof
    }

    /// An identity that a provider's token or a phone code has proved.
    /// - Parameters:
    ///   - numberKey: of the number, where it is a phone's.
    ///   - namesOwnAddress: The token has the address of the account.
    ///   - isOwn: The account has this identity already. Attack: somebody has the owner's mailbox,
    ///     makes an account at the provider for it, and a second factor there. At the decision
    ///     `link` the provider would vouch for itself, past the factor of the owner.
    init(
        _ proved: ProvedIdentity, numberKey: [UInt8]?, namesOwnAddress: Bool,
        isOwn: Bool = false
    ) {
        method = proved.method
        isBothProofs = isOwn && proved.hasBothProofs
        authentication = isOwn ? proved.authenticationOfOwn : proved.method.authentication
        self.numberKey = numberKey
        channels =
            switch proved.method {
            case .phone: [.number]
            case .password: [.memory]
            case .passkey: [.passkey]
            case .provider(let name):
                namesOwnAddress ? [.provider(name), .mailbox] : [.provider(name)]
            }
    }

    private init(
        method: SignInMethod, authentication: Authentication, channels: Set<ProofChannel>
    ) {
        self.method = method
        self.authentication = authentication
        self.channels = channels
    }
}
