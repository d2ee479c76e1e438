import Messages
import ServiceRuntime

extension Password {
    /// From this length on a password needs no kinds of characters (NIST SP 800-63B-4 §3.1.1.2).
    private static let strongCodePoints = 15
    /// Fewer different code points are a repetition: "abababababababab".
    private static let strongDistinct = 8

    /// An estimate for a meter on a screen. No decision depends on it.
    ///
    ///     rules broken   code points, different ones   strength
    ///     some           any                           weak
    ///     none           15 or more, 8 or more         strong
    ///     none           fewer                         fair
    ///
    /// - Parameter broken: the rules that the password breaks.
    func strength(breaking broken: [PasswordRule]) -> IdentityV1.PasswordStrength {
        guard broken.isEmpty else { return .weak }
        return withScalars { scalars in
            // Compared in place: a set of them would leave the password's characters in memory.
            let distinct = scalars.indices.count { index in
                !scalars[..<index].contains(scalars[index])
            }
            return scalars.count >= Self.strongCodePoints && distinct >= Self.strongDistinct
                ? .strong : .fair
        }
    }
}
