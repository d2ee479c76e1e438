/// Why the server did not do what it was asked, and what a store does about it.
struct ServerFailure: Hashable, Sendable {
    /// PostgreSQL's code; empty where the connection was lost without one. Source:
    /// https://www.postgresql.org/docs/15/errcodes-appendix.html
    let sqlState: String
    /// For the operator's log. Without the error's detail, which may contain values.
    let message: String
    /// Whether the connection is over.
    var isLost = false
    /// Whether COMMIT had been sent, so that its outcome is unknown.
    var isUnknown = false

    /// What a store does with a flow that failed so.
    enum Remedy: Hashable, Sendable {
        /// Run it again: nothing of it was done, and the reason passes.
        case repeated
        /// Run it once more: the second run sees the row that won.
        case repeatedOnce
        /// Tell its caller to come back: another flow has held a lock for long.
        case later
        /// Tell its caller that the outcome is not known.
        case unknown
        /// Give the error to its caller.
        case failed
    }

    /// What a store does with a flow that failed so.
    var remedy: Remedy {
        if isUnknown { return .unknown }
        switch sqlState {
        // A deadlock, a serialization failure, a transaction that was idle for too long, a server
        // that became a standby, or one that ends its connections.
        case "40P01", "40001", "25P03", "25006", "57P01", "57P02", "57P03": return .repeated
        case "23505": return .repeatedOnce
        // A lock for 2 s, or no memory for another lock.
        case "55P03", "53200": return .later
        default: return isLost ? .repeated : .failed
        }
    }

    /// Why a flow that failed so runs again, for the metric.
    var cause: ServerMetrics.Cause {
        switch sqlState {
        case "40P01": .deadlock
        case "40001": .serialization
        case "25P03": .idle
        case "25006": .standby
        case "23505": .unique
        default: .connection
        }
    }

    /// Whether it waited for a lock in vain.
    var isLockWait: Bool { sqlState == "55P03" }

    /// The error, by its kind.
    var error: SQLError {
        let code = sqlState.isEmpty ? "" : " (\(sqlState))"
        return SQLError(kind, detail: "\(message.oneLine)\(code)\(advice)")
    }

    private var kind: SQLError.Kind {
        if isUnknown { return .unreachable }
        return switch sqlState {
        case "23505": .constraint(.unique)
        case "23502": .constraint(.notNull)
        case "23514": .constraint(.check)
        case "23503": .constraint(.foreignKey)
        case "55P03", "53200", "40P01", "40001": .busy
        case "53100": .full
        case "25006": .readOnly
        case "58030": .inputOutput
        case "XX001", "XX002": .corrupt
        case "22021": .misuse
        case _ where sqlState.hasPrefix("23"): .constraint(.other)
        case _ where sqlState.hasPrefix("42"), _ where sqlState.hasPrefix("26"),
            _ where sqlState.hasPrefix("08P"), _ where sqlState.hasPrefix("22"):
            .misuse
        default: isLost ? .unreachable : .other
        }
    }

    private var advice: String {
        sqlState == "53200" ? ": raise max_locks_per_transaction in postgresql.conf" : ""
    }
}

extension String {
    /// The lines of a message of libpq, which indents some, as one.
    var oneLine: String {
        split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" } }.joined(separator: "; ")
    }
}
