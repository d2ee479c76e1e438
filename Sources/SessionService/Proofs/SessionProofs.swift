import Contracts
import ServiceRuntime
import Storage

/// One way in which a session's owner proved their identity, and when.
struct SessionProof: Hashable, Sendable {
    /// Method names from RFC 8176.
    let methods: [String]
    let at: Timestamp
}

/// The proofs of a session's owner (G-13). Pure:
///
///     a new proof                 what it changes
///     same methods as sign-in     the time of the sign-in's proof, forward only
///     methods proved before       the time of that proof, forward only
///     other methods               added; above eight of these the oldest is removed
///
/// The sign-in's methods are stored for good, since the session's limits depend on them (S-02): a
/// user who signed in by a code and later enters a password must not get the password's limits, nor
/// lose their own. Access tokens contain the latest proof. The time of each is stored, because a
/// call may require one of them (`RecentProof`).
struct SessionProofs: Hashable, Sendable {
    /// Proofs beside the sign-in's: as many as there are ways to re-authenticate, so that no proof
    /// displaces another. One that did could take a session's assurance along.
    static let laterMax = 8

    private(set) var signIn: SessionProof
    private(set) var later: [SessionProof] = []

    /// The proofs of a session that was just opened.
    init(signIn: SessionProof) {
        self.signIn = signIn
    }

    /// All proofs, the sign-in's first.
    var all: [SessionProof] { [signIn] + later }

    /// The latest proof; of two at the same moment, the one added later.
    var latest: SessionProof { later.reduce(signIn) { $1.at >= $0.at ? $1 : $0 } }

    /// How strongly the owner has authenticated in this session (`acr`, F-04); nil for a guest's. It
    /// follows from the proofs and is stored nowhere.
    var assurance: Assurance? { Assurance(ofSession: all.map(\.methods)) }

    /// Whether a proof is not new: it, or a later one with the same methods, is known.
    func contains(_ proof: SessionProof) -> Bool {
        all.contains { $0.methods == proof.methods && $0.at >= proof.at }
    }

    /// Records a proof.
    mutating func record(_ proof: SessionProof) {
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

/// The stored form: the latest proof in its own columns, as before there were several; all of them,
/// `pwd@1767225600000;hwk user@1767225900000`, only where there are several.
extension SessionProofs {
    private static let parts: (proofs: Character, moment: Character) = (";", "@")

    /// Whether a method can be stored.
    static func isStorable(_ method: String) -> Bool {
        !method.isEmpty
            && !method.contains { $0 == " " || $0 == parts.proofs || $0 == parts.moment }
    }

    /// The value for the row's column; nil where there is only the sign-in's proof.
    var text: String? {
        guard !later.isEmpty else { return nil }
        return all.map { proof in
            "\(proof.methods.joined(separator: " "))\(Self.parts.moment)\(proof.at.milliseconds)"
        }.joined(separator: String(Self.parts.proofs))
    }

    /// Parses what a row holds.
    /// - Parameter latest: from the columns that an older program knows as well, and may have
    ///   updated alone.
    /// - Throws: `SQLError` of kind `unexpectedValue`.
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
            record(proof)
        }
        record(latest)
    }

    private static func proof(_ text: Substring) -> SessionProof? {
        let halves = text.split(separator: parts.moment)
        guard halves.count == 2, let moment = Int64(halves[1]) else { return nil }
        return SessionProof(
            methods: halves[0].split(separator: " ").map(String.init),
            at: Timestamp(milliseconds: moment))
    }
}
