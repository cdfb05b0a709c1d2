//! Parameters of the URL: settings, what is none, and tables that a form brings.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::server;

const BODY: &str = "--xyz\r\nContent-Disposition: form-data; name=\"t\"; filename=\"a.csv\"\r\n\
                    Content-Type: text/csv\r\n\r\n1;one\n2;two\n\r\n--xyz--\r\n";

fn post(client: &mut common::Client, path: &str, body: &str) -> common::Answer {
    let head = [("Content-Type", "multipart/form-data; boundary=xyz")];
    client.request("POST", path, &head, body.as_bytes())
}

#[test]
fn forms_bring_tables() {
    let server = server("");
    let mut client = server.connect();
    let query = "query=SELECT+b,+a%2B1+FROM+t+ORDER+BY+a";
    let structure = "t_structure=a+UInt8,+b+String&t_format=CSV&format_csv_delimiter=;";
    let answer = post(&mut client, &format!("/?{query}&{structure}"), BODY);
    assert_eq!((answer.status, &*answer.text()), (200, "one\t2\ntwo\t3\n"));
    let types = "query=SELECT+_2+FROM+t+WHERE+_1=2&t_types=UInt8,String&t_format=CSV\
                 &format_csv_delimiter=;";
    assert_eq!(post(&mut client, &format!("/?{types}"), BODY).text(), "two\n");
    // Of a session, the table is gone with its request.
    let session = format!("/?session_id=s&{query}&{structure}");
    assert_eq!(post(&mut client, &session, BODY).status, 200);
    server.get(&format!("session_id=s&{query}")).expect_error(404, 60);
    let untold = post(&mut client, &format!("/?{query}"), BODY);
    assert!(untold.expect_error(400, 36).contains("t_structure"));
    post(&mut client, &format!("/?{query}&{structure}"), "no form").expect_error(400, 36);
    // The statement may be a part, and so may its parameters.
    let parts = "--xyz\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\n\
                 SELECT {n:UInt8} + 1\r\n--xyz\r\nContent-Disposition: form-data; \
                 name=\"param_n\"\r\n\r\n41\r\n--xyz--\r\n";
    assert_eq!(post(&mut client, "/", parts).text(), "42\n");
}

#[test]
fn parameters_are_settings_or_known() {
    let server = server("");
    let known = "query_id=&quota_key=k&role=r&stacktrace=1&client_protocol_version=54460&=1&&";
    assert_eq!(server.get(&format!("query=SELECT+1&{known}")).text(), "1\n");
    assert_eq!(
        server.get("query=SELECT+getSetting('max_memory_usage')&max_memory_usage=1G").text(),
        "1000000000\n"
    );
    server.get("query=SELECT+1&nonsense=1").expect_error(404, 115);
    // Without a form there are no tables to describe.
    server.get("query=SELECT+1&t_structure=a+UInt8").expect_error(404, 115);
    server.get("query=SELECT+1&max_threads=x").expect_error(400, 27);
    server.get("query=SELECT+1&dialect=kusto").expect_error(501, 48);
}
