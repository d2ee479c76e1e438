/// How handing a mail to a server ended.
package enum SMTPOutcome: Hashable, Sendable {
    /// The server has answered 250 to the whole message: it is responsible now.
    case accepted
    /// The server has said no to this mail, at MAIL, RCPT, DATA or the message's end.
    case refused(SMTPAnswer)
    /// The server does not take addresses beyond ASCII (RFC 6531), and this mail has one.
    case unsupported
    /// The conversation broke down before the server had the message. Nothing says that the mail
    /// itself was at fault.
    case failed(TransferFailure)
    /// The whole message went, and no answer came: the server may have taken it.
    case unanswered(TransferFailure)
}

extension SMTPOutcome {
    /// What the end of libcurl's transfer means for the mail.
    init(_ end: TransferEnd, messageBytes: Int) {
        switch end {
        case .notRun(let failure):
            self = .failed(failure)
        case .run(let report) where report.isSuccess:
            self = .accepted
        case .run(let report):
            let answer = report.mailAnswer
            if report.isMailUnsupported {
                self = .unsupported
            } else if let answer, (400...599).contains(answer.code), answer.code != 421 {
                // A 554 greeting or a 535 to AUTH says nothing about this mail, and 421 only that
                // the server leaves (RFC 5321, 3.8).
                self = .refused(answer)
            } else if answer?.code == 354, report.uploadedBytes == messageBytes {
                self = .unanswered(report.failure)
            } else {
                self = .failed(report.failure)
            }
        }
    }
}
