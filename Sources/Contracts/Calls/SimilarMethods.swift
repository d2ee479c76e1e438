import ServiceRuntime

/// The methods that a name which is no method probably meant, for the messages of HTTP and gRPC and
/// for the tool: one rule for all. Case does not matter, and what is before the last part of the
/// service's name neither.
///
///     typed                                   a method is similar if its own name
///     Auth/SignIn, Auth/SignUp                begins with the own name that was typed, or is its
///                                             beginning (4 letters at least)
///     Auth/SignInWithPasword                  differs from it by a quarter of its length at most
///     SignInWithPassword, Acounts/Verify…     is it
///
///     of several                              suggested are
///     some with the very own name             only these
///     else                                    those of the service that was typed, then the fewest
///                                             changes, then the alphabet; three
///
/// Attack: a caller sends long names, each of which is compared with all methods. The own name is
/// compared alone, and only up to 64 bytes; so a name costs less than reading its request.
package enum SimilarMethods {
    private static let ownBytesMax = 64
    private static let prefixBytesMin = 4
    private static let suggestionsMax = 3

    /// The names of the most similar methods, the best first, at most three; none if `typed` is a
    /// method.
    /// - Parameter names: As `postern.gateway.v1.Auth/SignOut`.
    package static func nearest(
        to typed: String, among names: some Sequence<String>
    ) -> [String] {
        let wanted = Parts(typed)
        guard (1...ownBytesMax).contains(wanted.own.count) else { return [] }
        var similar: [Similar] = []
        for name in names {
            guard name != typed else { return [] }
            let known = Parts(name)
            guard let changes = changes(from: wanted.own, to: known.own) else { continue }
            similar.append(
                Similar(
                    isElsewhere: known.service != wanted.service, changes: changes, name: name))
        }
        let same = similar.filter { $0.changes == 0 }
        return (same.isEmpty ? similar : same).sorted().prefix(suggestionsMax).map(\.name)
    }

    /// How far own names are apart; nil if they are not similar.
    private static func changes(from typed: [UInt8], to known: [UInt8]) -> Int? {
        if typed == known { return 0 }
        let shorter = min(typed.count, known.count)
        let isPrefix =
            shorter >= prefixBytesMin && typed.prefix(shorter) == known.prefix(shorter)
        // A name that is much longer or shorter needs more changes than that.
        guard isPrefix || abs(typed.count - known.count) <= typed.count / 4 else { return nil }
        let changes = EditDistance.between(typed, known)
        return isPrefix || changes <= typed.count / 4 ? changes : nil
    }

    /// The last part of the service's name and the method's own name, in lower case.
    private struct Parts {
        let service: [UInt8]
        let own: [UInt8]

        init(_ name: String) {
            let lowercased = name.utf8.map { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            }
            let parts = lowercased.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
            own = parts.last.map { Array($0) } ?? []
            service = parts.dropLast().last.map { Array($0) } ?? []
        }
    }

    /// A method, in the order of suggestions.
    private struct Similar: Comparable {
        let isElsewhere: Bool
        let changes: Int
        let name: String

        static func < (left: Similar, right: Similar) -> Bool {
            (left.isElsewhere ? 1 : 0, left.changes, left.name)
                < (right.isElsewhere ? 1 : 0, right.changes, right.name)
        }
    }
}
