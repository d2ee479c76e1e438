/// Who asked for a deletion, or what (G-19, I-04). Raw values are stored and must never change;
/// they are also the texts of `AdminDeletion.source`.
package enum DeletionSource: String, Sendable {
    /// The account's owner.
    case owner
    /// An operator.
    case `operator`
    /// A parent, whose consent is missing.
    case parent
    /// The time after which an unused guest is deleted.
    case guestKept = "guest-kept"
    /// The end of a guest's data: it was discarded, or moved into another account.
    case guestData = "guest-data"
    /// A deletion from before the store was restored (`Tombstones`).
    case tombstone
}
