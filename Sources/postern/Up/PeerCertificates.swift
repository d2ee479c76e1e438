/// Whether the programs of one `postern up` can call each other, by what the environment gives them:
///
///     callee has a certificate   caller has roots of peers   the calls
///     no                         no                          without TLS
///     yes                        yes                         by TLS
///     yes                        no                          fail: the caller does not speak TLS
///     no                         yes                         fail: the callee does not
///
/// The trap: a certificate for the web service, set by the variable for all programs. Each of them
/// then demands TLS of the others, and nothing becomes ready.
enum PeerCertificates {
    private static let certificate = "tls-certificate-file"
    private static let roots = "tls-peer-ca-file"

    /// What the operator has to set; nil if all calls work.
    /// - Parameters:
    ///   - calls: the programs with those that they call.
    ///   - setting: a setting of a program.
    static func mistake(
        in calls: [(caller: String, callees: [String])],
        _ setting: (_ name: String, _ program: String) -> String?
    ) -> String? {
        for (caller, callees) in calls {
            let speaksTLS = setting(roots, caller) != nil
            for callee in callees where (setting(certificate, callee) != nil) != speaksTLS {
                return speaksTLS
                    ? "\(caller) calls \(callee) by TLS, as POSTERN_TLS_PEER_CA_FILE says, but "
                        + "\(callee) has no certificate: set POSTERN_TLS_CERTIFICATE_FILE and "
                        + "POSTERN_TLS_KEY_FILE for all programs"
                    : "\(callee) has a certificate, and \(caller) would call it without TLS: for "
                        + "HTTPS at the web service alone, set POSTERN_WEB_TLS_CERTIFICATE_FILE "
                        + "and POSTERN_WEB_TLS_KEY_FILE instead; for TLS between all programs, "
                        + "set POSTERN_TLS_PEER_CA_FILE too"
            }
        }
        return nil
    }
}
