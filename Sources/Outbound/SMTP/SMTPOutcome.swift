/// How handing a mail to a server ended.
package enum SMTPOutcome: Hashable, Sendable {
    /// The server has answered 250 to the whole message: it is responsible now.
    case accepted
    /// The server has said no to this mail, at MAIL, RCPT, DATA or the message's end. `code` is
    /// its answer: 4xx asks to try later, 5xx never to try again (RFC 5321, 4.2.1).
    case refused(code: Int)
    /// The conversation broke down. Nothing says that the mail itself was at fault; if it broke
    /// after the message's end, the server may have taken it all the same.
    case failed(TransferFailure)
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
            // An answer of 400 or more is the mail's fault only inside the mail transaction:
            // a 554 greeting or a 535 to AUTH says nothing about this mail.
            let isMailRefused =
                report.isSendRefused
                || (report.isOddAnswer && report.uploadedBytes == messageBytes)
            self =
                if isMailRefused, (400...599).contains(report.answer) {
                    .refused(code: report.answer)
                } else {
                    .failed(report.failure)
                }
        }
    }
}
