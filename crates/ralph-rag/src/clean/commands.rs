//! Command lines with a password in the syntax of each program.

use super::given;
use super::own_rule::{OwnRule, placed};

/// Programs that take a secret under a name of their own, and stores that are given one.
pub(super) const RULES: &[OwnRule] = &[
    placed(
        "command-password",
        &[
            "nmcli",
            "mosquitto_",
            "cypher-shell",
            "cqlsh",
            "mycli",
            "useradd",
            "usermod",
            "keyvault secret",
            "pulumi config",
            "user-secrets",
            "fly secrets",
            "flyctl secrets",
            "create secret generic",
            "cmdkey",
            "net user",
            "openssl passwd",
            "gh secret",
            "sudo",
        ],
        STORES,
        given::is_given_in_a_command,
    ),
    placed(
        "command-password",
        &["mysql", "maria", "sshpass", "redis-cli", "7z", "rar ", "zip ", "zipcloak", "login"],
        ALONE,
        given::is_given_alone,
    ),
    placed("command-password", &["login"], LOGIN, given::is_given_to_a_login),
    placed("command-password", &["--user"], USER, given::is_given_behind_a_name),
    placed("command-password", &["bundle config"], HOST, given::is_given_to_a_login),
    placed("command-password", &["alias set", "config host"], ALIAS, given::is_given_in_a_command),
];

/// A name and a password that any program logs in with, in either order.
const LOGIN: &str = concat!(
    r#"\blogin\b[^\n|;&]{0,160}?\s(?:-u|--user(?:name)?)[= \t]{1,2}\S{1,128}[^\n|;&]{0,120}?\s-p[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'`\\|;&-][^\s"'`\\|;&]{3,})"#,
    r#"|\blogin\b[^\n|;&]{0,160}?\s-p[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'`\\|;&-][^\s"'`\\|;&]{3,})(?:\\{0,7}["'])?[^\n|;&]{0,120}?\s(?:-u|--user(?:name)?)[= \t]"#
);

/// `--user name:password` of any program, which may name a user and a group as well.
const USER: &str = r#"\s--user[= \t]{1,2}(?:\\{0,7}["'])?[^\s:"'`\\]{1,128}:([^\s"'`\\|;&]{4,})"#;

/// `bundle config HOST name:password`.
const HOST: &str = concat!(
    r#"\bbundle[ \t]config[ \t]{1,2}(?:set[ \t]{1,2})?(?:--(?:global|local)[ \t]{1,2})?[^\s"'`\\]{1,128}\.[^\s"'`\\]{1,128}"#,
    r#"[ \t]{1,2}(?:\\{0,7}["'])?[^\s:"'`\\]{1,64}:([^\s"'`\\|;&]{4,})"#
);

/// `mc alias set NAME URL KEY SECRET`.
const ALIAS: &str = concat!(
    r#"\b(?:mc|mcli)[ \t](?:alias[ \t]set|config[ \t]host[ \t]add)[ \t]{1,2}[^\s`]{1,128}[ \t]{1,2}[^\s`]{1,256}"#,
    r#"[ \t]{1,2}[^\s`]{1,128}[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'`\\|;&]{4,})"#
);

/// Options whose value can be nothing but a password.
const ALONE: &str = concat!(
    r#"\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mysqlsh|mysqlpump|mariadb(?:-\w{1,12})?|mycli)\b[^\n|;&]{0,160}?\s-p(?:\\{0,7}["'])?([^\s"'`\\|;&-][^\s"'`\\|;&]{3,})"#,
    r#"|\b(?:7za?|7zz|rar|unrar)\b[^\n|;&]{0,120}?\s-h?p(?:\\{0,7}["'])?([^\s"'`\\|;&-][^\s"'`\\|;&]{3,})"#,
    r#"|\b(?:zip|unzip|zipcloak)\b[^\n|;&]{0,120}?\s-P[ \t]{0,2}(?:\\{0,7}["'])?([^\s"'`\\|;&-][^\s"'`\\|;&]{3,})"#,
    r#"|\bsshpass\b[^\n|;&]{0,60}?\s-p[ \t]{0,2}(?:\\{0,7}["'])?([^\s"'`\\|;&-][^\s"'`\\|;&]{3,})"#,
    r#"|\bredis-cli\b[^\n|;&]{0,120}?\s-a[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'`\\|;&-][^\s"'`\\|;&]{3,})"#,
    r#"|\b(?:docker|podman|nerdctl|buildah|skopeo|az|helm registry|oc)[ \t]login\b[^\n|;&]{0,200}?\s-p[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'`\\|;&-][^\s"'`\\|;&]{3,})"#
);

/// The patterns of [`RULES`].
const STORES: &str = concat!(
    r#"(?i)\bnmcli\b[^\n|;&]{0,160}?\spassword[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bmosquitto_(?:pub|sub|rr)\b[^\n|;&]{0,160}?\s(?-i:-P)[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\b(?:cypher-shell|cqlsh|mycli|useradd|usermod)\b[^\n|;&]{0,160}?\s(?-i:-p)[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&-][^\s"'\\|;&]{3,})"#,
    r#"|\baz[ \t]keyvault[ \t]secret[ \t]set\b[^\n|;&]{0,200}?\s--value[= \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bpulumi[ \t]config[ \t]set\b[^\n|;&]{0,80}?\s--secret[ \t]{1,2}[\w:.-]{1,64}[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&-][^\s"'\\|;&]{3,})"#,
    r#"|\bdotnet[ \t]user-secrets[ \t]set[ \t]{1,2}(?:\\{0,7}["'])?[\w:.-]{1,80}(?:\\{0,7}["'])?[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&-][^\s"'\\|;&]{3,})"#,
    r#"|\b(?:fly|flyctl)[ \t]secrets[ \t]set[ \t]{1,2}(?:-\S{1,20}[ \t]{1,2}\S{1,40}[ \t]{1,2})?\w{1,64}=(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bcreate[ \t]secret[ \t]generic\b[^\n|;&]{0,200}?\s--from-literal[= \t](?:\\{0,7}["'])?[\w.-]{1,64}=(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bcmdkey\b[^\n|;&]{0,160}?\s/pass:(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bnet[ \t]user[ \t]{1,2}\S{1,64}[ \t]{1,2}([^\s"'\\|;&/]{4,})[ \t]{1,2}/add\b"#,
    r#"|\bopenssl[ \t]passwd[ \t]{1,2}(?:-(?:1|5|6|apr1)[ \t]{1,2})(?:\\{0,7}["'])?([^\s"'\\|;&-][^\s"'\\|;&]{3,})"#,
    r#"|\b(?:gh[ \t]secret[ \t]set|sudo[ \t]-S)\b[^\n|;&<]{0,120}?<<<[ \t]{0,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bprintf[ \t]{1,2}(?:\\{0,7}["'])?%s[^\s]{0,8}[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})(?:\\{0,7}["'])?[ \t]{0,2}\|[ \t]{0,2}sudo[ \t]-S"#
);

/// The value of an option of a known program, or a special notation of one for passwords.
pub(super) const PATTERN: &str = concat!(
    // `-pX` without a blank: the clients of MySQL and MariaDB, archivers.
    r#"(?i)\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mysqlsh|mysqlpump|mariadb(?:-\w{1,12})?|mycli)\b[^\n|;&]{0,160}?\s-p(?:\\{0,7}["'])?([^\s"'\\|;&-][^\s"'\\|;&]{3,})"#,
    r#"|\b(?:7za?|7zz|zip|unzip|rar|unrar|zipcloak)\b[^\n|;&]{0,120}?\s-(?:h?p|P)[ \t]{0,2}(?:\\{0,7}["'])?([^\s"'\\|;&-][^\s"'\\|;&]{3,})"#,
    // `-p X`, `-a X`, `-w X`, `-P X`.
    r#"|\bsshpass\b[^\n|;&]{0,60}?\s-p[ \t]{0,2}(?:\\{0,7}["'])?([^\s"'\\|;&-][^\s"'\\|;&]{3,})"#,
    r#"|\bredis-cli\b[^\n|;&]{0,120}?\s-a[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\b(?:sqlcmd|bcp|osql|tsql|isql)\b[^\n|;&]{0,160}?\s-P[ \t]{0,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\b(?:ldapsearch|ldapmodify|ldapadd|ldapwhoami|ldappasswd)\b[^\n|;&]{0,200}?\s-w[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\b(?:docker|podman|nerdctl|buildah|skopeo|az|helm registry|oc|cf|ibmcloud)[ \t]login\b[^\n|;&]{0,200}?\s-p[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\b(?:mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport)\b[^\n|;&]{0,200}?\s-p[ \t]{0,2}(?:\\{0,7}["'])?([^\s"'\\|;&-][^\s"'\\|;&]{3,})"#,
    r#"|\b(?:ipmitool|snmpwalk|snmpget)\b[^\n|;&]{0,120}?\s-[PAX][ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\b(?:lftp|ncftp\w{0,4})\b[^\n|;&]{0,120}?\s-u[ \t]{1,2}[^\s,]{1,64},(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\b(?:smbclient|rpcclient|wmic|winexe)\b[^\n|;&]{0,160}?\s-U[ \t]{1,2}(?:\\{0,7}["'])?[^\s%"']{1,64}%([^\s"'\\|;&]{4,})"#,
    r#"|\bssh-keygen\b[^\n|;&]{0,160}?\s-[NP][ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\b(?:xfreerdp|rdesktop)\b[^\n|;&]{0,160}?\s[/-]p[: ](?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bnet[ \t]use\b[^\n|;&]{0,120}?\s/user:\S{1,80}[ \t]{1,2}([^\s"'\\|;&/]{4,})"#,
    r#"|\brabbitmqctl[ \t](?:add_user|change_password)[ \t]\S{1,64}[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bopenssl[ \t][^\n|;&]{0,160}?\s-k[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bgh[ \t]secret[ \t]set\b[^\n|;&]{0,160}?\s(?:--body[= \t]{1,2}|-b[= \t]{0,2})(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bvault[ \t]login[ \t]{1,2}(?:-\S{1,40}[ \t]{1,2}){0,2}(?:\\{0,7}["'])?([^\s"'\\|;&=-]{8,})"#,
    r#"|\btwine[ \t]upload\b[^\n|;&]{0,200}?\s-p[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bpoetry[ \t]config\b[^\n|;&]{0,60}?[ \t](?:http-basic\.\S{1,64}[ \t]{1,2}\S{1,64}|pypi-token\.\S{1,64})[ \t]{1,2}(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})"#,
    r#"|\bcargo[ \t]login[ \t]{1,2}(?:--registry[= \t]\S{1,64}[ \t]{1,2})?(?:--[ \t]{1,2})?(?:\\{0,7}["'])?([^\s"'\\|;&]{8,})"#,
    r#"|\bsqlplus\b[^\n|;&]{0,80}?\s(?:\\{0,7}["'])?[\w$]{1,30}/([^\s"'\\|;&@/]{3,})@"#,
    // `-u user:password`, as accepted by curl, wget and similar programs.
    r#"|\b(?:curl|http|https|wget)\b[^\n|;]{0,300}?\s(?:-u|--user|-a|--auth|--proxy-user|-U)[= \t]{0,2}(?:\\{0,7}["'])?[^\s:"'\\]{1,128}:([^\s"'\\|;]{4,})"#,
    // Special notations.
    r#"|-pass(?:in|out)?[= \t]{1,2}(?:\\{0,7}["'])?pass:([^\s"'\\|;&,]{4,})"#,
    r#"|\becho[ \t]{1,2}(?:-n[ \t]{1,2})?(?:\\{0,7}["'])?[\w.-]{1,64}:([^\s"'\\|;&]{4,})(?:\\{0,7}["'])?[ \t]{0,2}\|[ \t]{0,2}(?:sudo[ \t])?chpasswd"#,
    r#"|\becho[ \t]{1,2}(?:-n[ \t]{1,2})?(?:\\{0,7}["'])?([^\s"'\\|;&]{4,})(?:\\{0,7}["'])?[ \t]{0,2}\|[ \t]{0,2}(?:sudo[ \t]-S|passwd[ \t]--stdin|docker[ \t]login)"#
);
