/// The mails that identity has sent (N-01), by the names that notification's templates have.
enum IdentityMail: Hashable, Sendable {
    /// Prove that this address is yours, by a link (G-02, G-12).
    case verifyEmail(link: String)
    /// Choose a new password, by a link (G-11).
    case resetPassword(link: String)
    /// To a new address: confirm that it is yours, by a link (G-12).
    case emailChangeConfirm(link: String)
    /// To the address so far: it is about to be another one (G-12).
    case emailChangeRequested(address: String, time: String)
    /// To the address that was: it is another one now (G-12).
    case emailChanged(address: String, time: String)
    /// The password is another one (N-01).
    case passwordChanged(device: String, time: String)
    /// Somebody signed in from a device that is new to the account (N-01, G-08).
    case newDevice(method: String, device: String, time: String)
    /// An account was made by what proves its address (N-01).
    case welcome(name: String, device: String, time: String)
    /// There is one more way to sign in (G-14, G-15).
    case methodAdded(method: String, device: String, time: String)
    /// There is one less (G-14).
    case methodRemoved(method: String, device: String, time: String)
    /// The address's owner has arrived, and what was set up before is gone.
    case addressClaimed(methods: [String], time: String)
    /// Somebody tried to sign up with your address (`AlreadyRegisteredMail`).
    case emailAlreadyRegistered(methods: [String], link: String)
    /// The operator has stopped the account (I-09).
    case accountSuspended(time: String)
    /// The operator has let it go on.
    case accountRestored(time: String)
    /// A newer session took the place of another one (S-03).
    case sessionDisplaced(device: String, time: String)
    /// A refresh token was used twice, so its session was ended (G-10).
    case sessionReplayed(device: String, time: String)

    /// The template's name.
    var template: String {
        switch self {
        case .verifyEmail: "verify-email"
        case .resetPassword: "reset-password"
        case .emailChangeConfirm: "email-change-confirm"
        case .emailChangeRequested: "email-change-requested"
        case .emailChanged: "email-changed"
        case .passwordChanged: "password-changed"
        case .newDevice: "new-device"
        case .welcome: "welcome"
        case .methodAdded: "method-added"
        case .methodRemoved: "method-removed"
        case .addressClaimed: "address-claimed"
        case .emailAlreadyRegistered: "email-already-registered"
        case .accountSuspended: "account-suspended"
        case .accountRestored: "account-restored"
        case .sessionDisplaced: "session-displaced"
        case .sessionReplayed: "session-replayed"
        }
    }

    /// Whether its reader asked for it and waits for it, as notification's lanes have it.
    var isRequested: Bool {
        switch self {
        case .verifyEmail, .resetPassword: true
        default: false
        }
    }

    /// What stands for this one mail in it.
    var variables: [(name: String, value: String)] {
        switch self {
        case .verifyEmail(let link), .resetPassword(let link), .emailChangeConfirm(let link):
            [("link", link)]
        case .emailChangeRequested(let address, let time), .emailChanged(let address, let time):
            [("address", address), ("time", time)]
        case .passwordChanged(let device, let time):
            [("device", device), ("place", ""), ("time", time)]
        case .newDevice(let method, let device, let time):
            [("method", method), ("device", device), ("place", ""), ("time", time)]
        case .welcome(let name, let device, let time):
            [("name", name), ("device", device), ("place", ""), ("time", time)]
        case .methodAdded(let method, let device, let time),
            .methodRemoved(let method, let device, let time):
            [("method", method), ("device", device), ("time", time)]
        case .addressClaimed(let methods, let time):
            [("methods", methods.joined(separator: " ")), ("time", time)]
        case .emailAlreadyRegistered(let methods, let link):
            [("methods", methods.joined(separator: " ")), ("link", link)]
        case .accountSuspended(let time), .accountRestored(let time): [("time", time)]
        case .sessionDisplaced(let device, let time), .sessionReplayed(let device, let time):
            [("device", device), ("time", time)]
        }
    }
}
