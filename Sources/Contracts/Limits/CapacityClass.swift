/// Which class of the limiter's table a limit's subjects use (`TableLayout`), by what an attacker
/// needs to create a further subject.
///
///     class     a further subject needs            limits
///     address   another address or application     those on addresses, on devices at an address,
///                                                  and on applications
///     account   a session, or a device that the    those that only a signed-in or a known caller
///               account knows                      reaches
///     text      a text: an email or a number       all whose subject a stranger can name
///
/// A flood in one class does not affect the others. Marks have a table of their own, in which those
/// of known devices and those of sites have half each.
package enum CapacityClass: Int, CaseIterable, Sendable {
    /// Addresses and applications.
    case address = 0
    /// Accounts in their own sessions, and their known devices.
    case account = 1
    /// Emails and numbers.
    case text = 2
}
