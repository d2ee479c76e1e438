/// The one error type that crosses between services and reaches callers: a code of the catalogue
/// and the details of this occurrence (X-01). `detail` is for the log and never leaves the program.
package struct ServiceError: Error, Hashable, Sendable {
    /// The code, an entry of the catalogue.
    package let code: ErrorCode
    /// How long to wait before a retry can succeed, where that is known.
    package let retryAfter: Duration?
    /// The fields of the request at fault.
    package var violations: [Violation]
    /// What few errors have.
    private var rare: Boxed?
    /// With `rpc/unavailable` the part that fails, with `rpc/deadline-exceeded` the called part that
    /// did not answer in time (`store`, `session`, `session.store`). Empty if it is not known.
    package var unavailablePart: String
    /// What happened, for the operator's log only.
    package let detail: String
    /// The server has not begun to process this call, so sending it again is safe.
    package var notProcessed: Bool
    /// The peer that this program called has not begun to process its part of the call, so the peer
    /// did nothing. Valid only in the calling program: it is not sent on the wire, since that
    /// program itself has begun.
    package var isUnbegunByPeer = false
    /// The sentence for the user that replaces the catalogue's, where this occurrence needs more
    /// detail: for example how long to wait, in the user's language. X-02 applies to it too.
    package var sentence: String?

    /// An error of the catalogue.
    /// - Parameters:
    ///   - fields: the fields of the request at fault, where each has only one rule.
    ///   - unavailablePart: the part that fails, with `rpc/unavailable`.
    package init(
        _ code: ErrorCode, retryAfter: Duration? = nil, fields: [String] = [],
        unavailablePart: String = "", detail: String = "", notProcessed: Bool = false
    ) {
        self.code = code
        self.retryAfter = retryAfter
        violations = fields.map { Violation(field: $0) }
        self.unavailablePart = unavailablePart
        self.detail = detail
        self.notProcessed = notProcessed
    }

    /// `rpc/invalid-argument`: a mistake of the calling program, which no person can correct.
    /// - Parameter reason: For its developer, in English.
    package static func invalidArgument(_ field: String, _ reason: String) -> ServiceError {
        var error = ServiceError(.invalidArgument)
        error.violations = [Violation(field: field, sentence: reason)]
        return error
    }

    /// `auth/weak-password`: `field` breaks `rules`.
    package static func weakPassword(
        _ rules: [PasswordRule], field: String
    ) -> ServiceError {
        var error = ServiceError(.weakPassword)
        error.violations = rules.map { Violation(field: field, rule: $0.rawValue) }
        return error
    }

    /// `auth/invalid-phone-number`: the number in `phone_number` breaks a rule.
    package static func invalidPhoneNumber(_ rule: PhoneNumberRule) -> ServiceError {
        var error = ServiceError(.invalidPhoneNumber)
        error.violations = [Violation(field: "phone_number", rule: rule.rawValue)]
        return error
    }

    /// With `auth/requires-recent-login`: the fields of `ReauthenticateRequest` any of which would
    /// be accepted (`password`).
    package var acceptableProofs: [String] {
        get { details.acceptableProofs }
        set { details.acceptableProofs = newValue }
    }

    /// What else would do (X-08). Identity sets those of the account's sign-in methods that would do
    /// (`google`) with `auth/second-proof-required`, only after a proof of one of them (X-02). The
    /// gateway sets what is switched on in the errors of sign-ins
    /// (`GatewayService/Alternatives/SwitchedOnWays.swift`).
    package var alternatives: [String] {
        get { details.alternatives }
        set { details.alternatives = newValue }
    }

    /// With `auth/second-proof-required`: what a second proof is to answer (F-03).
    package var secondProof: SecondProof? {
        get { details.secondProof }
        set { details.secondProof = newValue }
    }

    /// With `auth/document-conflict`: the current version of the document; 0 if there is none.
    package var currentVersion: Int64 {
        get { details.currentVersion }
        set { details.currentVersion = newValue }
    }

    /// With `auth/document-quota`: what the account has and may have.
    package var documentQuota: DocumentQuota? {
        get { details.documentQuota }
        set { details.documentQuota = newValue }
    }

    /// Between our own programs, with `auth/too-many-requests`: the units that the call costs of
    /// `document-work-by-account`, where less was paid. Nothing was done. Otherwise 0.
    package var unitsNeeded: UInt32 {
        get { details.unitsNeeded }
        set { details.unitsNeeded = newValue }
    }

    private var details: Details {
        get { if case .value(let details) = rare { details } else { Details() } }
        set { rare = newValue == Details() ? nil : .value(newValue) }
    }

    /// The sentence for the user: this occurrence's, or the catalogue's in English.
    package var userMessage: String { sentence ?? catalogueSentence(in: .english) }

    /// The names of the request's fields at fault.
    package var fields: [String] { violations.map(\.field) }

    /// Whether certainly nothing was done, neither by this program nor by the peer that it called.
    package var didNothing: Bool { notProcessed || isUnbegunByPeer }

    /// The gRPC status that is sent with the code.
    package var status: StatusCode { code.entry.status }

    /// An invalid field of the request, and the rule that its value breaks.
    package struct Violation: Hashable, Sendable {
        /// The field, as its .proto names it, or an entry of the metadata.
        package var field: String
        /// The rule that the value breaks, where the field has several (`PasswordRule`). Otherwise
        /// empty.
        package let rule: String
        /// The sentence about the rule that replaces the English one; without a rule, the reason
        /// for a developer.
        package var sentence: String?

        /// A violation; the sentence in English is found by the rule.
        package init(field: String, rule: String = "", sentence: String? = nil) {
            self.field = field
            self.rule = rule
            self.sentence = sentence
        }

        /// The sentence for the user; without a rule, the reason for a developer, or empty.
        package var userMessage: String {
            sentence ?? Voice.english.sentence(aboutRule: rule) ?? ""
        }
    }

    /// What one code or another has besides.
    private struct Details: Hashable, Sendable {
        var acceptableProofs: [String] = []
        var alternatives: [String] = []
        var secondProof: SecondProof?
        var currentVersion: Int64 = 0
        var documentQuota: DocumentQuota?
        var unitsNeeded: UInt32 = 0
    }

    /// Apart from the error: each function that throws one has room for it in its frame, so that an
    /// open stream held over a kilobyte for details that no error of its own has.
    private indirect enum Boxed: Hashable, Sendable {
        case value(Details)
    }

    /// What an account has of documents, and may have (I-07).
    package struct DocumentQuota: Hashable, Sendable {
        /// Number of documents.
        package let documents: UInt32
        /// How many it may have.
        package let documentsMax: UInt32
        /// Their JSON in bytes.
        package let bytes: UInt32
        /// How many bytes it may have.
        package let bytesMax: UInt32

        /// A quota and its use.
        package init(documents: UInt32, documentsMax: UInt32, bytes: UInt32, bytesMax: UInt32) {
            self.documents = documents
            self.documentsMax = documentsMax
            self.bytes = bytes
            self.bytesMax = bytesMax
        }
    }

    /// The second proof that a sign-in needs.
    package struct SecondProof: Hashable, Sendable {
        /// Opaque; returned with the proof.
        package let challenge: String
        /// The kinds of proof that would be accepted, the one to offer first at the beginning: the
        /// fields of `CompleteSignInRequest` that carry them.
        package let kinds: [String]
        /// When the challenge expires, in milliseconds since 1970.
        package let expiresAtMs: Int64
        /// One for each of `kinds`: what the owner recognises it by; may be empty.
        package let hints: [String]

        /// A second proof of one of `kinds`.
        package init(challenge: String, kinds: [String], expiresAtMs: Int64, hints: [String]) {
            self.challenge = challenge
            self.kinds = kinds
            self.expiresAtMs = expiresAtMs
            self.hints = hints
        }
    }
}

/// How a call ended: gRPC's seventeen status codes, which clients in every language know.
/// Source: https://grpc.io/docs/guides/status-codes/
package enum StatusCode: Int32, CaseIterable, Sendable {
    /// The call succeeded.
    case ok = 0
    /// The caller cancelled the call.
    case cancelled = 1
    /// An error without a more precise code.
    case unknown = 2
    /// The request is invalid, in any state of the system.
    case invalidArgument = 3
    /// The deadline passed. The effect may or may not have happened.
    case deadlineExceeded = 4
    /// The requested object does not exist.
    case notFound = 5
    /// The object to create exists already.
    case alreadyExists = 6
    /// The caller is authenticated but not allowed to do this.
    case permissionDenied = 7
    /// A rate limit, memory limit or size limit is reached.
    case resourceExhausted = 8
    /// The system is not in the state that this call needs.
    case failedPrecondition = 9
    /// The call lost against a concurrent change.
    case aborted = 10
    /// The value is past the end of the valid range.
    case outOfRange = 11
    /// The method does not exist.
    case unimplemented = 12
    /// An error of the server.
    case `internal` = 13
    /// The server is not reachable or not ready; retry.
    case unavailable = 14
    /// Stored data is corrupt.
    case dataLoss = 15
    /// The caller is not authenticated.
    case unauthenticated = 16
}

extension ServiceError: CustomStringConvertible {
    /// For the log: `rpc/unavailable (session.store): the queue is full`.
    package var description: String {
        let places = unavailablePart.isEmpty ? violations.map(\.field) : [unavailablePart]
        return code.rawValue + (places.isEmpty ? "" : " (\(places.joined(separator: ", ")))")
            + (detail.isEmpty ? "" : ": \(detail)")
    }
}

extension ServiceError {
    /// The error with another name for each field at fault.
    package func renamingFields(_ rename: (String) -> String) -> ServiceError {
        var error = self
        for index in error.violations.indices {
            error.violations[index].field = rename(error.violations[index].field)
        }
        return error
    }
}
