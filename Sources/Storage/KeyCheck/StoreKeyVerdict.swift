/// Whether a store belongs to the master key that its program was given. Pure:
///
///     the store has                the key                            verdict
///     a check value                makes the same value               proved
///     a check value                makes another value                refused
///     no check value, sealed rows  opens half of the oldest or more   proved, value to be written
///     no check value, sealed rows  opens fewer                        refused
///     no check value, no rows      any                                proved, value to be written
///
/// Failure that it prevents: a store is started with the key of another data folder. Every address
/// is then unknown, sign-up creates duplicate accounts, and data written meanwhile cannot be
/// decrypted with the right key.
///
/// Half of the oldest rows: one damaged row does not lock the operator out, and rows that a wrong
/// key added later do not count.
enum StoreKeyVerdict: Hashable, Sendable {
    /// The key is the store's.
    case proved(writesCheck: Bool)
    /// The store was created with another key.
    case refused

    /// - Parameters:
    ///   - stored: the store's check value; nil where it has none.
    ///   - check: the check value that the key makes.
    ///   - opened: for each of the oldest sealed values, whether the key opens it.
    init(stored: [UInt8]?, check: [UInt8], opened: [Bool]) {
        if let stored {
            self = stored == check ? .proved(writesCheck: false) : .refused
        } else {
            let count = opened.count { $0 }
            self = count * 2 >= opened.count ? .proved(writesCheck: true) : .refused
        }
    }
}
