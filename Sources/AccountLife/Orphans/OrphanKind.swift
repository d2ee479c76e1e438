import Contracts

/// The kinds of orphans: rows of an account whose counterpart is missing (I-04, I-09). The raw
/// values are those of the metric `identity_orphans` and of `ListOrphans`.
enum OrphanKind: String, CaseIterable, Sendable {
    /// An account without a profile. The check gives it an empty one.
    case accountWithoutProfile = "account-without-profile"
    /// An account without a key: what is sealed under it is lost.
    case accountWithoutKey = "account-without-key"
    /// A full account with neither an address nor an identity: sign-in and recovery are impossible.
    /// Where passwords are switched off, one with neither an identity nor a passkey (G-36).
    case accountWithoutWayIn = "account-without-way-in"
    /// A profile without an account.
    case profile = "profile-without-account"
    /// An identity without an account.
    case identity = "identity-without-account"
    /// Documents without an account.
    case document = "document-without-account"
    /// A photo without an account. Its file is removed with it by `BlobSweep`.
    case photo = "photo-without-account"
    /// A row of any other table without an account.
    case row = "row-without-account"
    /// A job of an account that does not exist.
    case job = "job-without-account"
    /// A migration of a guest's data that has stopped half-way.
    case migration = "half-done-migration"
    /// Sessions of an account that does not exist, at the session service.
    case session = "session"
    /// When an account that does not exist was last seen, at the session service.
    case lastSeen = "last-seen"
    /// Claims of an account that does not exist, at the session service.
    case claims
    /// Devices for push messages of an account that does not exist, at the notification service.
    case pushDevice = "push-device"
    /// A photo whose file is missing, as after a restore without the files.
    case photoWithoutFile = "photo-without-file"
    /// A finished export whose file is missing.
    case exportWithoutFile = "export-without-file"

    /// The kind of data that another service has of an account that does not exist; nil for a kind
    /// that is not listed by another service.
    init?(_ kind: AccountDataKind) {
        switch kind {
        case .account: return nil
        case .session: self = .session
        case .lastSeen: self = .lastSeen
        case .claims: self = .claims
        case .pushDevice: self = .pushDevice
        }
    }

    /// The service that has the rows.
    var service: OrphanService {
        switch self {
        case .accountWithoutProfile, .accountWithoutKey, .accountWithoutWayIn, .profile, .identity,
            .document, .photo, .row, .job, .migration, .photoWithoutFile, .exportWithoutFile:
            .identity
        case .session, .lastSeen, .claims: .session
        case .pushDevice: .notification
        }
    }

    /// What `RepairOrphan` does; nil for a kind that only its owner or the operator can repair.
    var repair: Repair? {
        switch self {
        case .accountWithoutProfile: .giveProfile
        case .accountWithoutKey, .accountWithoutWayIn, .migration: nil
        case .profile, .identity, .document, .photo, .row, .job, .session, .lastSeen, .claims,
            .pushDevice:
            .forgetData
        case .photoWithoutFile, .exportWithoutFile: .removeRow
        }
    }

    /// A repair.
    enum Repair: Sendable {
        /// The account gets an empty profile.
        case giveProfile
        /// The data of an account that does not exist is deleted where it is.
        case forgetData
        /// The row that names a missing file is deleted. Its owner can upload or order again, and
        /// nothing is lost that the file's absence has not lost. Only for an operator: the file may
        /// come back with a restore, and the sweep removes a file without a row.
        case removeRow
    }
}

/// A service that has rows of accounts.
enum OrphanService: String, CaseIterable, Sendable {
    case identity
    case session
    case notification

    /// The kinds of its orphans.
    var kinds: [OrphanKind] { OrphanKind.allCases.filter { $0.service == self } }
}
