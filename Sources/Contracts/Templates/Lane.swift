/// The priority class of a message (N-06). It is a property of the template, never of the request:
/// a caller must not choose how urgent its message is.
///
///     lane        content                                      who can cause it
///     requested   codes and links that the reader waits for    the reader, or a stranger up to the
///                                                              limit for each target address
///     security    warnings about a possible attack             anybody, by what they do
///     notice      confirmations of the user's own actions      the reader
///     bulk        welcome and everything else that can wait    the reader
///
/// Attack: sixty sign-ups with a victim's address, or sixty accounts that want to change to it,
/// cause sixty warning mails. If these shared a lane with the victim's own reset link, the link
/// would arrive after it has expired.
package enum Lane: CaseIterable, Sendable {
    /// Codes and links that the reader requested.
    case requested
    /// Warnings.
    case security
    /// Confirmations of the user's own actions.
    case notice
    /// Welcome and everything else that can wait.
    case bulk
}
