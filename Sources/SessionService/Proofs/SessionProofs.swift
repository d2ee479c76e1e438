import ServiceRuntime
import Storage

/// One way in which somebody proved to be a session's owner, and when.
struct SessionProof: Hashable, Sendable {
    /// As RFC 8176 names them.
    let methods: [String]
    let at: Timestamp
}

/// All that a session knows of its owner's proofs (G-13). Pure:
///
///     a new proof               what it changes
///     as at the sign-in         the moment of the sign-in's proof, forward only
///     in a way proved before    the moment of that proof, forward only
///     in another way            stands beside; of more than three such the oldest goes
///
/// The sign-in's way stays for good, since the session's limits go by it (S-02): who signed in by a
/// code and types a password later must not get the password's month for it, nor lose his own. The
/// latest proof is what access tokens tell; for each way the moment is kept, because a call may
/// demand one of them (`RecentProof` in the gateway).
struct SessionProofs: Hashable, Sendable {
    /// Ways beside the sign-in's; there are fewer.
    static let laterMax = 3

    private(set) var signIn: SessionProof
    private(set) var later: [SessionProof] = []

    /// Those of a session that has just been opened.
    init(signIn: SessionProof) {
        self.signIn = signIn
    }

    /// The sign-in's first.
    var all: [SessionProof] { [signIn] + later }

    /// The one made last; of two made at the same moment, the later way.
    var latest: SessionProof { later.reduce(signIn) { $1.at >= $0.at ? $1 : $0 } }

    /// Whether a proof says nothing new: it, or a later one in that way, has been taken in.
    func have(_ proof: SessionProof) -> Bool {
        all.contains { $0.methods == proof.methods && $0.at >= proof.at }
    }

    /// Takes a proof in.
    mutating func note(_ proof: SessionProof) {
        if proof.methods == signIn.methods {
            signIn = Self.later(signIn, proof)
        } else if let place = later.firstIndex(where: { $0.methods == proof.methods }) {
            later[place] = Self.later(later[place], proof)
        } else {
            later.append(proof)
            guard later.count > Self.laterMax, let oldest = later.map(\.at).min(),
                let place = later.firstIndex(where: { $0.at == oldest })
            else { return }
            later.remove(at: place)
        }
    }

    private static func later(_ one: SessionProof, _ other: SessionProof) -> SessionProof {
        other.at > one.at ? other : one
    }
}

/// As rows keep them: the latest proof in columns of its own, as before there were others; all of
/// them, `pwd@1767225600000;hwk user@1767225900000`, only where there are several.
extension SessionProofs {
    private static let parts: (proofs: Character, moment: Character) = (";", "@")

    /// Whether a method can stand in a row.
    static func canKeep(_ method: String) -> Bool {
        !method.isEmpty
            && !method.contains { $0 == " " || $0 == parts.proofs || $0 == parts.moment }
    }

    /// What the row's column holds; nil where there is but the sign-in's way.
    var text: String? {
        guard !later.isEmpty else { return nil }
        return all.map { proof in
            "\(proof.methods.joined(separator: " "))\(Self.parts.moment)\(proof.at.milliseconds)"
        }.joined(separator: String(Self.parts.proofs))
    }

    /// What a row holds.
    /// - Parameter latest: from the columns that an older program knows too, and may have moved on
    ///   alone.
    init(stored text: String?, latest: SessionProof) throws(SQLError) {
        guard let text else {
            self.init(signIn: latest)
            return
        }
        let proofs = text.split(separator: Self.parts.proofs).map(Self.proof)
        guard let signIn = proofs.first ?? nil else {
            throw SQLError(.unexpectedValue, detail: "session.proofs")
        }
        self.init(signIn: signIn)
        for proof in proofs.dropFirst() {
            guard let proof else { throw SQLError(.unexpectedValue, detail: "session.proofs") }
            note(proof)
        }
        note(latest)
    }

    private static func proof(_ text: Substring) -> SessionProof? {
        let halves = text.split(separator: parts.moment)
        guard halves.count == 2, let moment = Int64(halves[1]) else { return nil }
        return SessionProof(
            methods: halves[0].split(separator: " ").map(String.init),
            at: Timestamp(milliseconds: moment))
    }
}
